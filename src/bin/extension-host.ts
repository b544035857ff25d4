import { runExtensionHost } from '../runtime/extensions/host-main.ts';

runExtensionHost();
