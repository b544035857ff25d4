import { runExtensionHost } from '../extensions/host-main.ts';

runExtensionHost();
