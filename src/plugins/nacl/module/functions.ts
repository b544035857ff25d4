/** The functions of `nacl`, which the execution module and the runner have alike. */
import { param } from '../../../runtime/loader/params.ts';

const KEYS =
  'Further names: box_type (sealedbox or secretbox), sk and pk (the keys), sk_file and pk_file (their files). What is not given is in the option nacl.config, else the keys are pki_dir/master/nacl and nacl.pub.';
const data = param.value({ type: 'any', doc: 'The data: text or bytes.' });
const FILE_PARAMS = {
  name: param.text({ doc: 'The file: a path, for the execution module also an address as `salt://…`.' }),
  out: param.textIfGiven({
    default: null,
    doc: 'The file to write, which must not be there; default: the data are returned.',
  }),
} as const;

/** Documentation, parameters and returns by name. */
export const NACL_DESCRIPTIONS = {
  keygen: {
    doc: 'Makes a pair of keys. Without files they are returned; where only the secret key is there, its public key is made.',
    params: {
      sk_file: param.textIfGiven({ default: null, doc: 'The file of the secret key.' }),
      pk_file: param.textIfGiven({
        default: null,
        doc: 'That of the public key; default: sk_file with `.pub`.',
      }),
    },
    returns: 'the keys as `sk` and `pk` in base64, or which files were written',
  },
  enc: { doc: `Puts data into a box. ${KEYS}`, params: { data }, returns: 'the box in base64' },
  dec: { doc: `Takes data out of a box. ${KEYS}`, params: { data }, returns: 'the data; None for None' },
  enc_file: {
    doc: `Puts what is in a file into a box. ${KEYS}`,
    params: FILE_PARAMS,
    returns: 'the box, or which file was written',
  },
  dec_file: {
    doc: `Takes what is in a file out of its box. ${KEYS}`,
    params: FILE_PARAMS,
    returns: 'the data, or which file was written',
  },
  sealedbox_encrypt: {
    doc: `Puts data into a box that only the secret key of the pair opens. ${KEYS}`,
    params: { data },
    returns: 'the box in base64',
  },
  sealedbox_decrypt: {
    doc: `Takes data out of such a box. ${KEYS}`,
    params: { data },
    returns: 'the data; None for None',
  },
  secretbox_encrypt: {
    doc: `Puts data into a box that the same secret key opens. ${KEYS}`,
    params: { data },
    returns: 'the box in base64',
  },
  secretbox_decrypt: {
    doc: `Takes data out of such a box. ${KEYS}`,
    params: { data },
    returns: 'the data; None for None',
  },
} as const;
