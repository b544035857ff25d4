/** `buildout`: software put together by zc.buildout. Follows 3006.16 salt/modules/zcbuildout.py. */
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandExecutionError } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { absPath, isDir, isFile, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { COMMON, keptBy, type Common } from './module/conditions.ts';
import { answerOf, answerOfAll, Notes, type Ended } from './module/status.ts';
import { runAll } from '../shared/program.ts';
import { userAccount } from '../shared/accounts.ts';
import { httpAnswer } from '../shared/http-answers.ts';

/** Where the program that begins a buildout is fetched from, by buildout's version. */
const BOOTSTRAP: Readonly<Record<number, string>> = {
  1: 'http://downloads.buildout.org/1/bootstrap.py',
  2: 'http://downloads.buildout.org/2/bootstrap.py',
};
const NEWEST = 2;
/** The line that keeps a bootstrap from waiting for ever. */
const TIMEOUT_LINE = 'import socket;socket.setdefaulttimeout(2)';

/** Runs a program in the folder. @returns all that it says @throws CommandExecutionError where it fails */
async function run(
  ctx: ModuleContext,
  notes: Notes,
  words: readonly string[],
  { directory, runas, env, shown }: Common & { readonly shown?: string },
): Promise<string> {
  notes.add('debug', `Running ${shown ?? words.join(' ')}`);
  const { retcode, stdout, stderr } = await runAll(ctx, words, {
    cwd: absPath(directory),
    runas: runas ?? null,
    env,
  });
  const out = `${stdout}\n\n${stderr}`;
  if (retcode !== 0) throw new CommandExecutionError(out);
  return out;
}

/** Does something unless a condition keeps it, and tells how it ended. */
async function guarded(
  ctx: ModuleContext,
  common: Common,
  act: (notes: Notes) => Promise<Ended>,
): Promise<Ended> {
  const kept = await keptBy(ctx, common);
  const notes = new Notes();
  if (kept !== undefined) return notes.done(kept);
  try {
    return await act(notes);
  } catch (error) {
    return notes.failed(error instanceof Error ? error.message : String(error));
  }
}

function* configurations(folder: string, isTop = true): Generator<string, void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.cfg') && isFile(path)) yield path;
    if (isDir(path) && !(isTop && (name === 'var' || name === 'parts'))) yield* configurations(path, false);
  }
}

const bootstrapOf = (folder: string): string => readTextIfExists(join(folder, 'bootstrap.py')) ?? '';

/** The version of buildout that a folder is for. */
function versionOf(directory: string): number {
  const folder = absPath(directory);
  if (!isDir(folder)) return NEWEST;
  const isOld = [...configurations(folder)].some((path) => {
    const text = readFileSync(path, 'utf8');
    return text.includes('buildout.dumppick') || /^zc\.buildout\s*=\s*1/m.test(text);
  });
  return isOld || /--(download-base|setup-source|distribute)/.test(bootstrapOf(folder)) ? 1 : NEWEST;
}

async function fetched(ctx: ModuleContext, url: string): Promise<string> {
  const said = await httpAnswer(ctx, [url], { text: true });
  const text = said.get('text');
  if (typeof text !== 'string') throw new CommandExecutionError(`${url} cannot be fetched: ${pyStr(said)}`);
  return text;
}

/** Brings the program that begins a buildout up to date, once. @returns what was done */
async function upgrade(
  ctx: ModuleContext,
  notes: Notes,
  {
    directory,
    offline,
    version,
  }: { readonly directory: string; readonly offline: boolean; readonly version: number | undefined },
): Promise<string> {
  const folder = absPath(directory);
  if (!isDir(folder)) throw new CommandExecutionError(`The folder ${folder} of the buildout is not there.`);
  const known = version ?? versionOf(directory);
  const url = BOOTSTRAP[known];
  if (url === undefined) throw new CommandExecutionError(`buildout has no version ${known}: 1, 2`);
  notes.add('debug', `Using ${url}`);
  const mark = join(folder, '.buildout', `${known}.updated_bootstrap`);
  const isFresh = !offline && !pathExists(mark);
  if (isFresh) {
    mkdirSync(join(folder, '.buildout'), { recursive: true });
    notes.add('info', 'Bootstrap updated from repository');
  }
  const text = isFresh ? await fetched(ctx, url) : bootstrapOf(folder);
  const lines = text.split('\n');
  const hasTimeout = text.includes('socket.setdefaulttimeout');
  if (!hasTimeout) lines.splice(1, 0, TIMEOUT_LINE);
  if (isFresh || !hasTimeout) await writeFile(join(folder, 'bootstrap.py'), lines.join('\n'));
  if (isFresh) await writeFile(mark, 'foo');
  return isFresh || !hasTimeout ? 'Bootstrap updated' : '';
}

const BOOT = {
  config: param.text({ default: 'buildout.cfg', doc: 'The configuration.' }),
  python: param.text({ default: 'python3', doc: 'The Python that runs it.' }),
  distribute: param.flag({ default: null, doc: 'Use distribute where setuptools is old.' }),
  buildout_ver: param.countIfGiven({ default: null, doc: "Buildout's version: 1 or 2." }),
  test_release: param.value({ default: false, type: 'bool', doc: 'Also versions that are being tried.' }),
  offline: param.flag({ default: false, doc: 'Fetch nothing.' }),
  new_st: param.value({
    default: null,
    type: 'bool',
    doc: 'Use setuptools; found out where it is left out.',
  }),
} as const;
const TERMINAL = {
  use_vt: param.value({ default: false, type: 'bool', doc: 'Without effect: no terminal is made.' }),
  loglevel: param.value({ default: null, type: 'str', doc: 'Without effect.' }),
} as const;
type Boot = TypedArguments<typeof BOOT>;

/** Whether a package of the Python says something about itself. */
async function asks(
  ctx: ModuleContext,
  common: Common,
  { python }: Boot,
  question: string,
): Promise<boolean> {
  const words = [python, '-c', `import pkg_resources; ${question}`];
  const { retcode, stdout } = await runAll(ctx, words, {
    runas: common.runas ?? null,
    env: common.env,
    ignore_retcode: true,
  });
  return retcode === 0 && stdout.toLowerCase().includes('true');
}

async function bootstrap(ctx: ModuleContext, common: Common, boot: Boot): Promise<Ended> {
  return guarded(ctx, common, async (notes) => {
    const folder = absPath(common.directory);
    const { python, config, buildout_ver, test_release, offline } = boot;
    const isNew = await asks(
      ctx,
      common,
      boot,
      "print(not pkg_resources.get_distribution('setuptools').version.startswith('0.6'))",
    );
    const isDistribute = boot.distribute && !truthy(boot.new_st) && !isNew;
    if (!isDir(folder)) throw new CommandExecutionError(`The folder ${folder} of the buildout is not there.`);
    mkdirSync(join(folder, '.buildout'), { recursive: true });
    // Salt compat: what was noted until here is not among the notes
    await upgrade(ctx, new Notes(), { directory: folder, offline, version: buildout_ver });
    const script = bootstrapOf(folder);
    const words = [
      ...[python, 'bootstrap.py'],
      ...(isDistribute && buildout_ver === 1 ? ['--distribute'] : []),
      ...(test_release !== false && script.includes(' --accept-buildout-test-releases')
        ? ['--accept-buildout-test-releases']
        : []),
      ...(script.includes('"-c"') ? ['-c', config] : []),
    ];
    if (common.runas !== undefined) {
      const user = await userAccount(ctx, [common.runas]);
      const id = (name: string): number => Number(user?.get(name) ?? -1);
      await chown(join(folder, 'bootstrap.py'), id('uid'), id('gid')).catch((error: unknown) => {
        ctx.log.error(`BUILDOUT bootstrap permissions error: ${String(error)}`);
      });
    }
    const shown = `${python} bootstrap.py ${['', ...words.slice(2)].join(' ')}`;
    return notes.done(shown, await run(ctx, notes, words, { ...common, shown }));
  });
}

const PARTS = {
  parts: param.value({ default: null, type: 'list', doc: 'Only these parts.' }),
  newest: param.flag({ default: true, doc: 'Look for the newest versions.' }),
  verbose: param.flag({ default: false, doc: 'Say more.' }),
  debug: param.flag({ default: false, doc: 'Say what goes wrong within.' }),
} as const;

async function runBuildout(
  ctx: ModuleContext,
  common: Common,
  wanted: TypedArguments<typeof PARTS> & Pick<Boot, 'config' | 'offline'>,
): Promise<Ended> {
  return guarded(ctx, common, async (notes) => {
    const folder = absPath(common.directory);
    const { newest, offline, verbose, debug, config } = wanted;
    const isKept = !newest && pathExists(join(folder, '.installed.cfg'));
    const modes = [
      [verbose, 'verbose mode', '-vvvvvvv'],
      [isKept, 'non newest mode', '-N'],
      [newest, 'newest mode', '-n'],
      [offline, 'offline mode', '-o'],
      [debug, 'debug mode', '-D'],
    ] as const;
    const options = modes.flatMap(([is, name, option]) => {
      if (is) notes.add('debug', `Buildout is running in ${name}!`);
      return is ? [option] : [];
    });
    const head = [join(folder, 'bin', 'buildout'), '-c', config, ...options];
    const parts = Array.isArray(wanted.parts) ? wanted.parts.map(pyStr) : [];
    if (parts.length === 0) notes.add('info', 'Installing all buildout parts');
    const [commands, outputs]: [string[], string[]] = [[], []];
    for (const words of parts.length === 0 ? [head] : parts.map((part) => [...head, 'install', part])) {
      if (parts.length > 0) notes.add('info', `Installing single part: ${words.at(-1) ?? ''}`);
      commands.push(words.join(' '));
      outputs.push(await run(ctx, notes, words, common));
    }
    return notes.done(commands.join('\n'), outputs.join('\n'));
  });
}

const ANSWER = 'mapping of status, comment, out, logs and outlog';
const VARIABLES = { lines: ['env', 'onlyif', 'unless'], dashes: ['env', 'onlyif', 'unless'] } as const;

/** The module. */
export const buildoutModule = defineModule({
  name: 'buildout',
  file: 'zcbuildout',
  doc: 'Software put together by zc.buildout.',
  words: VARIABLES,
  functions: {
    upgrade_bootstrap: defineFunction({
      doc: 'Brings the program that begins a buildout up to date, once.',
      params: { ...COMMON, offline: BOOT.offline, buildout_ver: BOOT.buildout_ver },
      returns: ANSWER,
      examples: ["salt '*' buildout.upgrade_bootstrap /srv/mybuildout"],
      run: async (ctx, { offline, buildout_ver, ...common }): Promise<Dict> =>
        answerOf(
          await guarded(ctx, common, async (notes) =>
            notes.done(
              await upgrade(ctx, notes, { directory: common.directory, offline, version: buildout_ver }),
            ),
          ),
        ),
    }),
    bootstrap: defineFunction({
      doc: 'Begins a buildout.',
      params: {
        directory: COMMON.directory,
        config: BOOT.config,
        python: BOOT.python,
        onlyif: COMMON.onlyif,
        unless: COMMON.unless,
        runas: COMMON.runas,
        env: COMMON.env,
        distribute: BOOT.distribute,
        buildout_ver: BOOT.buildout_ver,
        test_release: BOOT.test_release,
        offline: BOOT.offline,
        new_st: BOOT.new_st,
        ...TERMINAL,
      },
      returns: ANSWER,
      examples: ["salt '*' buildout.bootstrap /srv/mybuildout"],
      run: async (ctx, args) => answerOf(await bootstrap(ctx, args, args)),
    }),
    run_buildout: defineFunction({
      doc: 'Runs a buildout that was begun.',
      params: {
        directory: COMMON.directory,
        config: BOOT.config,
        parts: PARTS.parts,
        onlyif: COMMON.onlyif,
        unless: COMMON.unless,
        offline: BOOT.offline,
        newest: PARTS.newest,
        runas: COMMON.runas,
        env: COMMON.env,
        verbose: PARTS.verbose,
        debug: PARTS.debug,
        ...TERMINAL,
      },
      returns: ANSWER,
      examples: ["salt '*' buildout.run_buildout /srv/mybuildout"],
      run: async (ctx, args) => answerOf(await runBuildout(ctx, args, args)),
    }),
    buildout: defineFunction({
      doc: 'Begins a buildout and runs it.',
      params: {
        directory: COMMON.directory,
        config: BOOT.config,
        parts: PARTS.parts,
        runas: COMMON.runas,
        env: COMMON.env,
        buildout_ver: BOOT.buildout_ver,
        test_release: BOOT.test_release,
        distribute: BOOT.distribute,
        new_st: BOOT.new_st,
        offline: BOOT.offline,
        newest: param.flag({ default: false, doc: 'Look for the newest versions.' }),
        python: BOOT.python,
        debug: PARTS.debug,
        verbose: PARTS.verbose,
        onlyif: COMMON.onlyif,
        unless: COMMON.unless,
        ...TERMINAL,
      },
      returns: ANSWER,
      examples: ["salt '*' buildout.buildout /srv/mybuildout"],
      run: async (ctx, args) => {
        const kept = await keptBy(ctx, args);
        if (kept !== undefined) return answerOf(new Notes().done(kept));
        const plain = { ...args, onlyif: null, unless: null };
        return answerOfAll([await bootstrap(ctx, plain, args), await runBuildout(ctx, plain, args)]);
      },
    }),
  },
});
