/** `hg`: repositories of Mercurial. Follows 3006.16 salt/modules/hg.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { expandUser } from '../../host/expand-user.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runAll, runStdout, runText, type Ended } from '../shared/program.ts';
import { withSecretFile } from '../shared/secret-file.ts';

/** Where and by whom hg runs. */
interface Place {
  readonly cwd?: Value;
  readonly user: Value;
}

const keywords = ({ cwd, user }: Place) => ({ ...(cwd === undefined ? {} : { cwd }), runas: user });
const wordsOf = (opts: string | undefined): string[] =>
  opts !== undefined ? opts.split(/\s+/).filter((word) => word !== '') : [];
const identityWords = (identity: string | undefined): string[] =>
  identity === undefined ? [] : ['--ssh', `ssh -i ${identity}`];

/** An address with a password: what is in front of it, the user, the password, and the rest. */
const WITH_PASSWORD = /^(https?:\/\/)([^/@:]*):([^/@]*)@(.+)$/i;

/** Where hg looks for settings, unless a variable says it. */
const settingsPaths = (user: Value): string[] => [
  '/etc/mercurial/hgrc',
  '/etc/mercurial/hgrc.d',
  expandUser(`~${truthy(user) ? pyStr(user) : ''}/.hgrc`),
  expandUser(`~${truthy(user) ? pyStr(user) : ''}/.config/hg/hgrc`),
];

/**
 * Runs hg with the password of an address in a file of settings.
 *
 * Salt compat: Salt leaves it in the address, which every user of the machine reads among the arguments.
 */
async function withoutPassword(ctx: ModuleContext, words: readonly string[], place: Place): Promise<Ended> {
  const [word = '', scheme = '', user = '', password = '', rest = ''] =
    words.map((one) => WITH_PASSWORD.exec(one)).find((found) => found !== null) ?? [];
  if (word === '') return runAll(ctx, ['hg', ...words], keywords(place));
  const decoded = [user, password].map((text) => decodeURIComponent(text));
  if (decoded.some((text) => /[\r\n]/.test(text)))
    throw new CommandExecutionError('The user and the password of an address cannot have line ends.');
  const prefix = `${scheme}${rest.replace(/\/.*$/s, '')}`;
  const content = `[auth]\nbrine.prefix = ${prefix}\nbrine.username = ${decoded[0]}\nbrine.password = ${decoded[1]}\n`;
  const shown = words.map((one) => (one === word ? `${scheme}${user}@${rest}` : one));
  return withSecretFile(ctx, { content, runas: place.user }, (path) => {
    const known = process.env['HGRCPATH'] ?? settingsPaths(place.user).join(':');
    const env = dict({ HGRCPATH: `${known}:${path}` });
    return runAll(ctx, ['hg', ...shown], { ...keywords(place), env });
  });
}

/** @returns what hg says. @throws CommandExecutionError where it fails */
async function changing(ctx: ModuleContext, words: readonly string[], place: Place): Promise<string> {
  const ended = await withoutPassword(ctx, words, place);
  if (ended.retcode !== 0) throw new CommandExecutionError(`Hg command failed: ${ended.stderr}`);
  return ended.stdout;
}

async function revision(ctx: ModuleContext, rev: string, isShort: boolean, place: Place): Promise<string> {
  const words = ['hg', 'id', '-i', isShort ? '' : '--debug', '-r', rev];
  const ended = await runAll(ctx, words, keywords(place));
  return ended.retcode === 0 ? ended.stdout : '';
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['M', 'modified'],
  ['A', 'added'],
  ['R', 'removed'],
  ['C', 'clean'],
  ['!', 'missing'],
  ['?', 'not tracked'],
  ['I', 'ignored'],
  [' ', 'origin of the previous file'],
]);

async function statusOf(ctx: ModuleContext, opts: string | undefined, place: Place): Promise<Dict> {
  const found = new Map<Value, string[]>();
  for (const line of splitLines(await runStdout(ctx, ['hg', 'status', ...wordsOf(opts)], keywords(place)))) {
    const kind = KINDS.get(line[0] ?? '');
    if (kind === undefined) throw new CommandExecutionError(`hg status says what is not understood: ${line}`);
    found.set(kind, [...(found.get(kind) ?? []), line.slice(2)]);
  }
  return found;
}

const CWD = { cwd: param.value({ type: 'str', doc: 'The repository.' }) } as const;
const USER = { user: param.value({ default: null, type: 'str', doc: 'Who runs hg.' }) } as const;
const OPTS = { opts: param.textAlone({ default: null, doc: 'Further words for hg.' }) } as const;
const REV = { rev: param.text({ default: 'tip', doc: 'The revision.' }) } as const;
const IDENTITY = {
  identity: param.textIfGiven({ default: null, doc: 'The private key for SSH.' }),
} as const;

/** The module. */
export const hgModule = defineModule({
  name: 'hg',
  file: 'hg',
  doc: 'Repositories of Mercurial.',
  words: { dashes: ['opts'] },
  unavailable: () =>
    findProgram('hg') === undefined ? 'The hg execution module cannot be loaded: hg unavailable.' : undefined,
  functions: {
    revision: defineFunction({
      doc: 'Returns the long hash of a revision.',
      params: { ...CWD, ...REV, short: param.flag({ default: false, doc: 'The short one.' }), ...USER },
      returns: 'the hash; empty where there is no such revision',
      examples: ["salt '*' hg.revision /path/to/repo mybranch"],
      run: (ctx, { cwd, rev, short, user }) => revision(ctx, rev, short, { cwd, user }),
    }),
    describe: defineFunction({
      doc: 'Describes a revision by the tag before it, how far it is, and its hash.',
      params: { ...CWD, ...REV, ...USER },
      returns: 'text',
      examples: ["salt '*' hg.describe /path/to/repo"],
      run: async (ctx, { cwd, rev, user }) => {
        const template = "'{{latesttag}}-{{latesttagdistance}}-{{node|short}}'";
        const words = ['hg', 'log', '-r', rev, '--template', template];
        const said = await runStdout(ctx, words, keywords({ cwd, user }));
        return said === '' ? revision(ctx, rev, true, { cwd, user: null }) : said;
      },
    }),
    archive: defineFunction({
      doc: 'Exports the files of a revision.',
      params: {
        ...CWD,
        output: param.text({ doc: 'Where they go.' }),
        ...REV,
        fmt: param.textIfGiven({ default: null, doc: 'The kind of the archive: files, tar, tgz, zip.' }),
        prefix: param.textIfGiven({ default: null, doc: 'What the names in the archive begin with.' }),
        ...USER,
      },
      returns: 'what hg says',
      examples: ["salt '*' hg.archive /path/to/repo output=/tmp/archive.tgz fmt=tgz"],
      run: (ctx, { cwd, output, rev, fmt, prefix, user }) => {
        const words = ['hg', 'archive', pathOperand(output), '--rev', rev];
        if (fmt !== undefined) words.push('--type', fmt);
        if (prefix !== undefined) words.push('--prefix', `"${prefix}"`);
        return runText(ctx, words, keywords({ cwd, user }));
      },
    }),
    pull: defineFunction({
      doc: 'Brings what a repository does not have.',
      params: {
        ...CWD,
        ...OPTS,
        ...USER,
        ...IDENTITY,
        repository: param.textOrNone({
          default: null,
          doc: 'Where from; where it was cloned from without it.',
        }),
      },
      returns: 'what hg says',
      examples: ["salt '*' hg.pull /path/to/repo opts=-u"],
      run: (ctx, { cwd, opts, user, identity, repository }) => {
        const from = repository === undefined ? [] : [pathOperand(repository)];
        return changing(ctx, ['pull', ...identityWords(identity), ...wordsOf(opts), ...from], { cwd, user });
      },
    }),
    update: defineFunction({
      doc: 'Makes the files those of a revision.',
      params: {
        ...CWD,
        rev: param.text({ doc: 'The revision.' }),
        force: param.flag({ default: false, doc: 'Lose what was changed.' }),
        ...USER,
      },
      returns: 'what hg says',
      examples: ['salt devserver1 hg.update /path/to/repo somebranch'],
      run: (ctx, { cwd, rev, force, user }) =>
        changing(ctx, ['update', rev.startsWith('-') ? `--rev=${rev}` : rev, ...(force ? ['-C'] : [])], {
          cwd,
          user,
        }),
    }),
    clone: defineFunction({
      doc: 'Clones a repository.',
      params: {
        cwd: param.text({ doc: 'Where it goes.' }),
        repository: param.text({ doc: 'Where it is.' }),
        ...OPTS,
        ...USER,
        ...IDENTITY,
      },
      returns: 'what hg says',
      examples: ["salt '*' hg.clone /path/to/repo https://bitbucket.org/birkenfeld/sphinx"],
      run: (ctx, { cwd, repository, opts, user, identity }) => {
        const words = [
          pathOperand(repository),
          pathOperand(cwd),
          ...wordsOf(opts),
          ...identityWords(identity),
        ];
        return changing(ctx, ['clone', ...words], { user });
      },
    }),
    status: defineFunction({
      doc: 'Lists the files that are not as in the repository.',
      params: {
        cwd: param.value({ type: 'list or str', doc: 'The repository, or several.' }),
        ...OPTS,
        ...USER,
      },
      returns:
        'mapping of what is with them (modified, added, not tracked) to files; by repository for several',
      examples: ["salt '*' hg.status /path/to/repo"],
      run: async (ctx, { cwd, opts, user }) => {
        if (!Array.isArray(cwd) && !isDict(cwd)) return statusOf(ctx, opts, { cwd, user });
        const found = new Map<Value, Value>();
        for (const each of isDict(cwd) ? cwd.keys() : cwd)
          found.set(each, await statusOf(ctx, opts, { cwd: each, user }));
        return found;
      },
    }),
  },
});
