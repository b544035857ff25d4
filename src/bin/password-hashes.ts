import { runPasswordHashes } from '../programs/master/auth/password-hashes.ts';

runPasswordHashes();
