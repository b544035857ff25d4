/** `webutil`: users in the files of passwords that web servers read. Follows 3006.16 salt/modules/webutil.py. */
import { findProgram } from '../../host/which.ts';
import { pathExists } from '../../python/paths.ts';
import { splitLines } from '../../python/values/text.ts';
import { type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, ranAll, runText } from '../shared/program.ts';

/** A file of passwords and who reads it. */
interface PasswordFile {
  readonly pwfile: string;
  readonly runas: Value;
}

/** Runs `htpasswd` with a password, which it reads from its standard input, where no process list shows it. */
function withPassword(
  ctx: ModuleContext,
  { pwfile, runas }: PasswordFile,
  { user, password, letters }: { readonly user: string; readonly password: string; readonly letters: string },
): Promise<Value> {
  const words = ['htpasswd', `-i${letters}`, pathOperand(pwfile), user];
  // Salt compat: Salt's functions have -b and the password among the arguments.
  return ranAll(ctx, [words], {
    runas,
    python_shell: false,
    stdin: `${password}\n`,
    output_loglevel: 'quiet',
  });
}

const FILE_AND_USER = {
  pwfile: param.text({ doc: 'The file of passwords.' }),
  user: param.text({ doc: 'The user.' }),
} as const;
const PASSWORD = { password: param.text({ doc: 'The password.' }) } as const;
const RUNAS = {
  runas: param.value({ default: null, type: 'str', doc: 'The user of the system who runs `htpasswd`.' }),
} as const;
const OPTS = {
  opts: param.text({
    default: '',
    doc: 'Options of `htpasswd`, one letter each: n (only show it), m (MD5), d (crypt), p (plain), s (SHA), B (bcrypt).',
  }),
} as const;

/** The module. */
export const webutilModule = defineModule({
  name: 'webutil',
  file: 'webutil',
  doc: 'Users in the files of passwords that web servers read (`htpasswd`).',
  words: { dashes: ['password', 'opts', 'pwfile'] },
  unavailable: () =>
    findProgram('htpasswd') === undefined
      ? 'The htpasswd execution mdule cannot be loaded: htpasswd binary not in path.'
      : undefined,
  functions: {
    useradd: defineFunction({
      doc: 'Adds a user to a file of passwords, which is made where there is none, or changes the password.',
      params: { ...FILE_AND_USER, ...PASSWORD, ...OPTS, ...RUNAS },
      returns: 'as cmd.run_all',
      examples: ["salt '*' webutil.useradd /etc/httpd/htpasswd larry badpassword"],
      run: (ctx, { pwfile, user, password, opts, runas }) =>
        withPassword(
          ctx,
          { pwfile, runas },
          { user, password, letters: pathExists(pwfile) ? opts : `${opts}c` },
        ),
    }),
    userdel: defineFunction({
      doc: 'Removes a user from a file of passwords.',
      params: {
        ...FILE_AND_USER,
        ...RUNAS,
        all_results: param.flag({
          default: false,
          doc: 'Return all that is known of the end of `htpasswd`.',
        }),
      },
      returns: 'the lines that `htpasswd` printed, or as cmd.run_all',
      examples: ["salt '*' webutil.userdel /etc/httpd/htpasswd larry"],
      run: async (ctx, { pwfile, user, runas, all_results }) => {
        if (!pathExists(pwfile)) return 'Error: The specified htpasswd file does not exist';
        const words = ['htpasswd', '-D', pathOperand(pwfile), user];
        if (!all_results) return splitLines(await runText(ctx, words, { runas }));
        return ranAll(ctx, [words], { runas, python_shell: false });
      },
    }),
    verify: defineFunction({
      doc: 'Returns whether a user is in a file of passwords with this password.',
      params: { ...FILE_AND_USER, ...PASSWORD, ...OPTS, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' webutil.verify /etc/httpd/htpasswd larry maybepassword"],
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        if (!pathExists(pwfile)) return false;
        const ended = await withPassword(ctx, { pwfile, runas }, { user, password, letters: `v${opts}` });
        return ended instanceof Map && ended.get('retcode') === 0;
      },
    }),
  },
});
