/** `x509`: keys, certificates, requests and revocation lists. Follows 3006.16 salt/modules/x509_v2.py. */
import { defineModule } from '../../runtime/loader/module.ts';
import { certificateFunctions, keyFunctions, requestFunctions } from './module/create.ts';
import { checkingFunctions, readingFunctions } from './module/read.ts';

/** The module. */
export const x509Module = defineModule({
  name: 'x509',
  file: 'x509_v2',
  doc: 'Keys, certificates, requests for certificates and revocation lists.',
  functions: {
    ...certificateFunctions,
    ...requestFunctions,
    ...keyFunctions,
    ...readingFunctions,
    ...checkingFunctions,
  },
});
