/** The parameters that functions of `git` share. */
import { param } from '../../../runtime/loader/params.ts';
import { optionWords } from './words.ts';

/** The folder of a checkout. */
export const CWD = {
  cwd: param.text({ doc: 'The folder of the checkout; below the home folder when it is relative.' }),
} as const;

/** Whoever runs git. */
export const RUN_AS = {
  user: param.textIfGiven({ default: null, doc: 'Who runs git; the user of the minion without it.' }),
  password: param.value({ default: null, type: 'str', doc: 'Takes no effect: only for Windows.' }),
} as const;

/** Options of the command, and of git itself. */
export const OPTIONS = {
  opts: param.by(optionWords, {
    default: '',
    type: 'str or list',
    doc: 'Further options of the command: a text as in a shell, or a list.',
  }),
  git_opts: param.value({
    default: '',
    type: 'str or list',
    doc: 'Options of git itself, which stand before the command.',
  }),
} as const;

/** A failure that is none. */
export const IGNORE_RETCODE = {
  ignore_retcode: param.flag({ default: false, doc: 'Do not log a failure as an error.' }),
} as const;

/** How output is decoded. */
export const ENCODING = {
  output_encoding: param.textIfGiven({ default: null, doc: 'The encoding of the output; UTF-8 without it.' }),
} as const;

/** The last parameters of most functions. */
export const ENDING = { ...IGNORE_RETCODE, ...ENCODING } as const;

/** Private keys. */
export const IDENTITY = {
  identity: param.value({
    default: null,
    type: 'str or list',
    doc: 'Private keys for SSH, tried one after the other: paths, or `salt://…`.',
  }),
} as const;

/** A user and a password for HTTPS. */
export const HTTPS = {
  https_user: param.textOrNone({ default: null, doc: 'The user name for an address with `https://`.' }),
  https_pass: param.textOrNone({ default: null, doc: 'The password for an address with `https://`.' }),
} as const;

/** Where a key of the file server comes from. */
export const SALTENV = {
  saltenv: param.value({
    default: 'base',
    type: 'str',
    doc: 'The environment of the file server that `identity` is in.',
  }),
} as const;

/** What git printed. */
export const OUTPUT = 'what git printed';
