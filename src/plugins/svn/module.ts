/** `svn`: working copies of Subversion. Follows 3006.16 salt/modules/svn.py. */
import { ArgumentError, CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { splitWords } from '../../python/shell-words.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { param, type TypedParam } from '../../runtime/loader/params.ts';
import { runAll } from '../shared/program.ts';

const FIELD = /^([^:]+):\s+(\S.*)$/gm;

const CWD = { cwd: param.text({ doc: 'The folder of the working copy.' }) } as const;
const targets = param.by(operands, {
  type: 'str or list',
  default: null,
  doc: 'Files and folders, with blanks between them; default: the folder.',
});
const msg = param.textIfGiven({ default: null, doc: 'The message for the log.' });
const target = param.textIfGiven({
  default: null,
  doc: 'The name of the working copy; default: that of the remote one.',
});
const REMOTE = { remote: param.text({ doc: 'The address.' }), target } as const;
const AS = {
  user: param.textIfGiven({ default: null, doc: 'The user that svn runs as.' }),
  username: param.textIfGiven({ default: null, doc: 'The user for the server.' }),
  password: param.textIfGiven({ default: null, doc: 'The password for the server.' }),
} as const;
const OPTS = { varargs: 'opts', returns: 'what svn says' } as const;

/** Whose name and password are used. */
type As = TypedArguments<typeof AS>;

/**
 * Runs svn.
 * Salt compat: the password goes through a pipe, and is neither in the list of processes nor in the error.
 * @throws CommandExecutionError what svn says, and its command line
 */
async function svn(
  ctx: ModuleContext,
  command: string,
  cwd: string,
  { user, username, password }: As,
  words: readonly string[],
): Promise<string> {
  const line = [
    ...['svn', '--non-interactive', command, ...words],
    ...(username === undefined ? [] : ['--username', username]),
    ...(password === undefined ? [] : ['--password-from-stdin']),
  ];
  const input = password === undefined ? {} : { stdin: password };
  const { retcode, stdout, stderr } = await runAll(ctx, line, { cwd, runas: user ?? null, ...input });
  if (retcode === 0) return stdout;
  throw new CommandExecutionError(`${stderr}\n\n${line.join(' ')}`);
}

/** Words that are files, folders or addresses. */
function operands(given: Value): string[] {
  if (truthy(given) && typeof given !== 'string' && !Array.isArray(given))
    throw new ArgumentError(`'${pyTypeName(given)}' object is not iterable`);
  const words = Array.isArray(given) ? given.map(pyStr) : truthy(given) ? splitWords(pyStr(given)) : [];
  const option = words.find((word) => word.startsWith('-'));
  if (option === undefined) return words;
  throw new SaltInvocationError(
    `A target of svn cannot begin with '-', which would make it an option: ${pyRepr(option)}`,
  );
}

const optionsIn = (rest: readonly Value[]): string[] => rest.map(pyStr);

/** What `svn info` says, in mappings. */
function fieldsIn(said: string): [string, string][][] {
  return said
    .split('\n\n')
    .map((part) => [...part.matchAll(FIELD)].map(([, key = '', value = '']) => [key, value]));
}

/** A function that works on targets in a working copy. */
const onTargets = (command: string, doc: string) =>
  defineFunction({
    doc,
    params: { ...CWD, targets, ...AS },
    ...OPTS,
    examples: [`salt '*' svn.${command} /path/to/repo`],
    run: (ctx, args, rest) => svn(ctx, command, args.cwd, args, [...optionsIn(rest), ...args.targets]),
  });

const withMessage = (command: string, doc: string, where: TypedParam<string[]>) =>
  defineFunction({
    doc,
    params: { ...CWD, targets: where, msg, ...AS },
    ...OPTS,
    examples: [`salt '*' svn.${command} /path/to/repo`],
    run: (ctx, args, rest) => {
      const said = args.msg === undefined ? [] : ['-m', args.msg];
      return svn(ctx, command, args.cwd, args, [...optionsIn(rest), ...said, ...args.targets]);
    },
  });

const fromRemote = (command: string, doc: string) =>
  defineFunction({
    doc,
    params: { ...CWD, ...REMOTE, ...AS },
    ...OPTS,
    examples: [`salt '*' svn.${command} /path/to/repo svn://remote/repo`],
    run: (ctx, args, rest) => {
      const to = args.target === undefined ? [] : [args.target];
      return svn(ctx, command, args.cwd, args, [...optionsIn(rest), args.remote, ...to]);
    },
  });

/** The module. */
export const svnModule = defineModule({
  name: 'svn',
  file: 'svn',
  doc: 'Working copies of Subversion. Further words are options of svn.',
  words: { lines: ['msg'], dashes: ['*', 'msg', 'password'] },
  unavailable: () =>
    findProgram('svn') === undefined
      ? 'The svn execution module cannot be loaded: svn unavailable.'
      : undefined,
  functions: {
    info: defineFunction({
      doc: 'Returns what is known of a working copy, or of what is in it.',
      params: {
        ...CWD,
        targets,
        ...AS,
        fmt: param.text({ default: 'str', doc: 'The form: str, xml, list or dict.' }),
      },
      returns: 'what svn says; as list a list of lists of pairs, as dict a list of mappings',
      examples: ["salt '*' svn.info /path/to/svn/repo"],
      run: async (ctx, { cwd, targets: of, fmt, ...as }) => {
        const xml = fmt === 'xml' ? ['--xml'] : [];
        const said = await svn(ctx, 'info', cwd, as, [...xml, ...of]);
        if (fmt === 'str' || fmt === 'xml') return said;
        if (fmt === 'list') return fieldsIn(said);
        return fmt === 'dict' ? fieldsIn(said).map((fields): Dict => dict(Object.fromEntries(fields))) : null;
      },
    }),
    checkout: fromRemote('checkout', 'Makes a working copy.'),
    switch: fromRemote('switch', 'Makes a working copy one of another address.'),
    update: onTargets('update', 'Brings a working copy up to date.'),
    diff: onTargets('diff', 'Shows what was changed in a working copy.'),
    commit: withMessage('commit', 'Commits what was changed in a working copy.', targets),
    add: defineFunction({
      doc: 'Has files and folders followed from now on.',
      params: {
        ...CWD,
        targets: param.by(operands, {
          type: 'str or list',
          doc: 'Files and folders, with blanks between them.',
        }),
        ...AS,
      },
      ...OPTS,
      examples: ["salt '*' svn.add /path/to/repo /path/to/new/file"],
      run: (ctx, args, rest) => svn(ctx, 'add', args.cwd, args, [...optionsIn(rest), ...args.targets]),
    }),
    remove: withMessage(
      'remove',
      'Removes files and folders.',
      param.by(operands, {
        type: 'str or list',
        doc: 'Files, folders and addresses, with blanks between them.',
      }),
    ),
    status: onTargets('status', 'Shows the state of what is in a working copy.'),
    export: defineFunction({
      doc: 'Makes a copy that is no working copy.',
      params: {
        ...CWD,
        ...REMOTE,
        ...AS,
        revision: param.text({ default: 'HEAD', doc: 'The revision.' }),
      },
      ...OPTS,
      examples: ["salt '*' svn.export /path/to/repo svn://remote/repo"],
      run: (ctx, args, rest) => {
        const to = args.target === undefined ? [] : [args.target];
        const words = [...optionsIn(rest), args.remote, ...to, '-r', args.revision];
        return svn(ctx, 'export', args.cwd, args, words);
      },
    }),
  },
});
