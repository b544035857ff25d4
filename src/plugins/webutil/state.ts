/** `webutil`: users in the files of passwords that web servers read (3006.16 salt/states/webutil.py). */
import { findProgram } from '../../host/which.ts';
import { isAbs } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { missingFolder } from '../shared/missing-source.ts';
import { outcomeResultLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { fileExists } from '../shared/file-answers.ts';

const HTPASSWD_FILE = {
  htpasswd_file: param.value({ default: null, type: 'str', doc: 'The file of passwords.' }),
} as const;
const RUNAS = {
  runas: param.value({
    default: null,
    type: 'str',
    account: 'user',
    doc: 'The user of the system who runs `htpasswd`.',
  }),
} as const;
const NAME = { name: param.text({ doc: 'The user.' }) } as const;

const field = (value: Value, name: string): Value => (isDict(value) ? (value.get(name) ?? null) : null);

async function isInFile(ctx: StateContext, file: Value, name: string): Promise<boolean> {
  return field(await ctx.functions.call('file.grep', [file, `^${name}:`]), 'retcode') === 0;
}

/** What came of a run of `htpasswd`. */
function ended(name: string, run: Value): StateResult {
  const isDone = field(run, 'retcode') === 0;
  return outcome(name, isDone, field(run, 'stderr'), isDone ? dict({ [name]: true }) : dict());
}

const foretold = (name: string, comment: string): StateResult =>
  outcome(name, null, comment, dict({ [name]: true }));

/** Why there can be no such user. Salt compat: there, it is promised, or ends with a traceback. */
function refusal(name: string, file: Value): string | undefined {
  if (name === '' || /[:\n\r\0]/.test(name))
    return `The name of a user is not empty and has no colons and line ends: ${pyRepr(name)}`;
  return typeof file === 'string' && isAbs(file)
    ? undefined
    : `htpasswd_file must be a whole path, beginning with a slash, not ${pyRepr(file)}`;
}

/** The states of `webutil`. */
export const webutilStates = defineModule({
  name: 'webutil',
  file: 'webutil',
  doc: 'Users in the files of passwords that web servers read (`htpasswd`).',
  unavailable: () => (findProgram('htpasswd') === undefined ? 'Command not found: htpasswd' : undefined),
  functions: {
    user_exists: defineState({
      doc: 'Makes sure that a user is in a file of passwords.',
      params: {
        ...NAME,
        password: param.value({ default: null, type: 'str', doc: 'The password.' }),
        ...HTPASSWD_FILE,
        options: param.value({
          default: '',
          type: 'str',
          doc: 'Options of `htpasswd`, see webutil.useradd.',
        }),
        force: param.flag({ default: false, doc: 'Write the password even where the user is known.' }),
        ...RUNAS,
        update: param.flag({ default: false, doc: 'Write the password where it is another one.' }),
      },
      refuses: ({ name, htpasswd_file, password }) =>
        refusal(name, htpasswd_file) ??
        (typeof password === 'string' && /[\n\r\0]/.test(password)
          ? 'password cannot have a line end in it'
          : undefined),
      run: async (ctx, { name, password, htpasswd_file, options, force, runas, update }) => {
        const call = (fun: string): Promise<Value> => {
          const keywords: Dict = dict({ opts: options, runas });
          return ctx.functions.call(`webutil.${fun}`, [htpasswd_file, name, password], keywords);
        };
        const isFile = await fileExists(ctx, [htpasswd_file]);
        const isKnown = isFile && (await isInFile(ctx, htpasswd_file, name));
        const isOther = isKnown && update && !force && !truthy(await call('verify'));
        if (isKnown && !isOther && !force) return outcome(name, true, 'User already known');
        const noFolder = missingFolder(ctx, pyStr(htpasswd_file));
        if (ctx.state.test && noFolder !== undefined) return outcome(name, false, noFolder);
        if (ctx.state.test) return foretold(name, `User '${name}' is set to be added to htpasswd file`);
        return ended(name, await call('useradd'));
      },
    }),
    user_absent: defineState({
      doc: 'Makes sure that a user is not in a file of passwords.',
      params: { ...NAME, ...HTPASSWD_FILE, ...RUNAS },
      refuses: ({ name, htpasswd_file }) => refusal(name, htpasswd_file),
      run: async (ctx, { name, htpasswd_file, runas }) => {
        if (!(await isInFile(ctx, htpasswd_file, name)))
          return outcome(name, true, 'User already not in file');
        if (ctx.state.test) return foretold(name, `User '${name}' is set to be removed from htpasswd file`);
        const keywords = dict({ runas, all_results: true });
        return ended(name, await ctx.functions.call('webutil.userdel', [htpasswd_file, name], keywords));
      },
    }),
  },
});
