/** `saltutil.*`: the minion itself: its jobs, caches, keys and modules (3006.16 salt/modules/saltutil.py). */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandExecutionError } from '../../errors/errors.ts';
import { refuseKeywords } from '../../runtime/loader/bind.ts';
import type { Synced } from '../../runtime/extensions/sync.ts';
import { safeJoin } from '../../host/files.ts';
import { PUBLICATION_JOURNAL } from '../../storage/jobs/publication-journal.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import { param } from '../../runtime/loader/params.ts';
import { masterFunctions } from './module/on-master.ts';

const SIGTERM = 15;
const SIGKILL = 9;
const HOUR_MS = 3_600_000;

/** What has to be loaded anew after a kind of module was synced. */
type Refresh = 'modules' | 'pillar' | 'beacons' | undefined;

/** One `sync_*` function. */
interface SyncKind {
  readonly refresh: Refresh;
  /** Whether it refreshes unless told not to; undefined when it has no such parameter. */
  readonly refreshDefault: boolean | undefined;
  /** How its folder is named, where that is not the kind: `_proxy`. */
  readonly form?: string;
}

/** By kind, in the order of `sync_all`. */
const SYNC_KINDS: Readonly<Record<string, SyncKind>> = {
  clouds: { refresh: 'modules', refreshDefault: true },
  beacons: { refresh: 'beacons', refreshDefault: true },
  modules: { refresh: 'modules', refreshDefault: true },
  states: { refresh: 'modules', refreshDefault: true },
  sdb: { refresh: undefined, refreshDefault: undefined },
  grains: { refresh: 'pillar', refreshDefault: true },
  renderers: { refresh: 'modules', refreshDefault: true },
  returners: { refresh: 'modules', refreshDefault: true },
  output: { refresh: 'modules', refreshDefault: true },
  utils: { refresh: 'modules', refreshDefault: true },
  log_handlers: { refresh: 'modules', refreshDefault: true },
  executors: { refresh: 'modules', refreshDefault: true },
  proxymodules: { refresh: 'modules', refreshDefault: false, form: 'proxy' },
  engines: { refresh: 'modules', refreshDefault: false },
  thorium: { refresh: 'modules', refreshDefault: false },
  serializers: { refresh: 'modules', refreshDefault: true },
  matchers: { refresh: 'modules', refreshDefault: false },
  pillar: { refresh: 'pillar', refreshDefault: true },
};

/** What a sync function was asked for. */
type SyncArguments = Readonly<Record<string, Value>>;

/** Brings custom modules of one kind over from the master's files. */
async function syncFiles(
  ctx: ModuleContext,
  kind: string,
  args: SyncArguments,
  environments: readonly string[],
  isWhole = false,
): Promise<Synced> {
  if (kind === 'pillar' && ctx.opts.get('file_client') !== 'local') {
    throw new CommandExecutionError('Pillar modules can only be synced to masterless minions');
  }
  const [{ syncExtensions }, { openFileClient }] = await Promise.all([
    import('../../runtime/extensions/sync.ts'),
    import('../../storage/fileclient/open.ts'),
  ]);
  const synced = await syncExtensions({
    client: openFileClient(ctx),
    opts: ctx.opts,
    kind: SYNC_KINDS[kind]?.form ?? kind,
    environments,
    whitelist: args['extmod_whitelist'] ?? null,
    blacklist: args['extmod_blacklist'] ?? null,
    isWhole,
    log: ctx.log,
  });
  if (kind === 'grains') await rm(cacheFolder(ctx, 'grains.cache.p'), { force: true });
  return synced;
}

/** The environments to sync from: those that are named, else those of the top file. */
async function environmentsOf(ctx: ModuleContext, saltenv: Value | undefined): Promise<readonly string[]> {
  if (Array.isArray(saltenv)) return saltenv.map(pyStr);
  if (saltenv !== undefined && saltenv !== null) return pyStr(saltenv).split(',');
  const { topEnvironments } = await import('./module/top-environments.ts');
  return topEnvironments(ctx);
}

function refreshFor(ctx: ModuleContext, refresh: Refresh, cleansPillarCache: boolean): Promise<boolean> {
  if (refresh === undefined) return Promise.resolve(true);
  if (refresh !== 'pillar') return ctx.services.refresh(refresh);
  return ctx.services.refresh('pillar', dict({ clean_cache: cleansPillarCache }));
}

const syncParams = {
  saltenv: param.value({
    default: null,
    type: 'str',
    doc: 'Environments to sync from, separated by commas; else those of the top file.',
  }),
  refresh: param.flag({ default: true, doc: 'Have everything loaded anew afterwards.' }),
  extmod_whitelist: param.value({ default: null, type: 'dict', doc: 'Sync only these: kind to names.' }),
  extmod_blacklist: param.value({ default: null, type: 'dict', doc: 'Do not sync these: kind to names.' }),
} as const;
const cleanPillarCacheParam = param.flag({ default: false, doc: 'Drop the cache of the pillar, too.' });

function syncFunction(kind: string, spec: SyncKind): FunctionSpec {
  const { saltenv, refresh, ...lists } = syncParams;
  const withCleaning = kind === 'grains' || kind === 'pillar';
  return defineFunction({
    doc: `Brings custom ${kind} over from \`salt://_${kind}\`.`,
    params: {
      saltenv,
      ...(spec.refreshDefault === undefined ? {} : { refresh: { ...refresh, default: spec.refreshDefault } }),
      ...lists,
      ...(withCleaning ? { clean_pillar_cache: cleanPillarCacheParam } : {}),
    },
    returns: 'list of the names that changed',
    run: async (ctx, args: Readonly<Record<string, Value>>) => {
      const { changed } = await syncFiles(ctx, kind, args, await environmentsOf(ctx, args['saltenv']));
      if (args['refresh'] === true) await refreshFor(ctx, spec.refresh, args['clean_pillar_cache'] === true);
      return changed;
    },
  });
}

const syncFunctions: Record<string, FunctionSpec> = Object.fromEntries(
  Object.entries(SYNC_KINDS).map(([kind, spec]) => [`sync_${kind}`, syncFunction(kind, spec)]),
);

/** The running jobs but for the one that asks. */
async function runningJobs(ctx: ModuleContext): Promise<Dict[]> {
  return (await ctx.services.runningJobs()).filter((job) => job.get('jid') !== ctx.job.jid);
}

/** @returns Salt's sentence; an empty text when no such job runs */
async function signalJob(ctx: ModuleContext, name: string, signal: number): Promise<string> {
  const job = (await runningJobs(ctx)).find((running) => running.get('jid') === name);
  if (!job) return '';
  return (await ctx.services.signalJob(name, signal))
    ? `Signal ${signal} sent to job ${name} at pid ${pyStr(job.get('pid') ?? null)}`
    : `Job ${name} was not running and job data has been cleaned up`;
}

async function signalAllJobs(ctx: ModuleContext, signal: number): Promise<Value[]> {
  const texts: string[] = [];
  for (const job of await runningJobs(ctx))
    texts.push(await signalJob(ctx, pyStr(job.get('jid') ?? ''), signal));
  return texts;
}

function cacheFolder(ctx: ModuleContext, ...parts: string[]): string {
  return join(optionOf(ctx.opts, 'cachedir'), ...parts);
}

/** The entries of a folder; none when there is no such folder. */
async function entriesOf(folder: string): Promise<{ path: string; name: string; isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({
      path: join(folder, entry.name),
      name: entry.name,
      isFolder: entry.isDirectory(),
    }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** All files below a folder; links to folders are not followed. */
async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const { path, isFolder } of await entriesOf(folder)) {
    if (isFolder) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}

/** @returns False, with a line in the log, when something could not be removed */
async function clearing(ctx: ModuleContext, name: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    ctx.log.error(`Attempt to clear cache with saltutil.${name} FAILED`, error);
    return false;
  }
}

async function removeOldJobs(ctx: ModuleContext, hours: number): Promise<void> {
  const oldestMs = ctx.clock.nowMs() - hours * HOUR_MS;
  for (const { path, isFolder } of await entriesOf(cacheFolder(ctx, 'minion_jobs'))) {
    if (isFolder && (await stat(path)).mtimeMs < oldestMs) await rm(path, { recursive: true });
  }
}

async function cachedJob(ctx: ModuleContext, jid: string): Promise<Value> {
  const root = cacheFolder(ctx, 'minion_jobs');
  const folder = safeJoin(root, jid);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    return truthy(ctx.opts.get('cache_jobs'))
      ? `Local jobs cache directory ${folder} not found`
      : 'Local jobs cache directory not found; you may need to enable cache_jobs on this minion';
  }
  const bytes = await readFile(join(folder, 'return.p'));
  const job = bytes.length === 0 ? null : decode(bytes, 'local');
  return isDict(job) ? job : null;
}

async function customModules(ctx: ModuleContext): Promise<Dict> {
  const found: Dict = new Map();
  // Salt compat: Salt fails with FileNotFoundError as long as nothing was ever synced.
  for (const kind of await entriesOf(cacheFolder(ctx, 'extmods'))) {
    const files = await filesBelow(kind.path);
    const names = files.map((path) => path.slice(path.lastIndexOf('/') + 1).split('.')[0] ?? '');
    found.set(kind.name, [...new Set(names)].sort());
  }
  return found;
}

/** Keywords of the caller without the publish data. */
function withoutDunder(kwargs: Dict): Dict {
  return new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));
}

const refreshPillar = defineFunction({
  doc: 'Has the pillar compiled anew.',
  params: {
    wait: param.flag({ default: false, doc: 'Return only when that is done.' }),
    timeout: param.by((value) => toNumber(value) ?? 30, {
      default: 30,
      type: 'int',
      doc: 'Wait at most so many seconds.',
    }),
    clean_cache: param.value({ default: true, type: 'bool', doc: 'Drop the cache of the pillar.' }),
  },
  returns: 'True; False when nothing took the request',
  examples: ["salt '*' saltutil.refresh_pillar", "salt '*' saltutil.refresh_pillar wait=True timeout=60"],
  run: (ctx, { wait, timeout, clean_cache }) =>
    ctx.services.refresh('pillar', dict({ wait, timeout, clean_cache })),
});

const jidParam = { jid: param.text({ doc: 'The id of the job.' }) } as const;

/** The module `saltutil`. */
export const saltutilModule = defineModule({
  name: 'saltutil',
  file: 'saltutil',
  doc: 'The minion itself: running jobs, refreshing what it has loaded, syncing custom modules, caches and keys.',
  failsWith: {
    false: [
      'clear_cache',
      'clear_job_cache',
      'pillar_refresh',
      'refresh_beacons',
      'refresh_grains',
      'refresh_matchers',
      'refresh_modules',
      'refresh_pillar',
      'revoke_auth',
    ],
    empty: ['kill_job', 'signal_job', 'term_job'],
    text: ['find_cached_job'],
  },
  functions: {
    running: defineFunction({
      doc: 'Lists the jobs that run on the minion now, but for this one.',
      returns: 'list of mappings `{tgt_type, jid, tgt, pid, ret, user, arg, fun}`',
      run: (ctx) => runningJobs(ctx),
    }),
    is_running: defineFunction({
      doc: 'Lists the running jobs of certain functions.',
      params: { fun: param.text({ doc: 'Full name of the function, or a glob.' }) },
      returns: 'list of mappings, as `saltutil.running`',
      examples: ["salt '*' saltutil.is_running 'state.*'"],
      run: async (ctx, { fun }) => {
        const matches = (name: Value): boolean => fnmatch(pyStr(name), fun);
        return (await runningJobs(ctx)).filter((job) => {
          const running = job.get('fun') ?? '';
          return Array.isArray(running) ? running.some(matches) : matches(running);
        });
      },
    }),
    find_job: defineFunction({
      doc: 'Gives what is known about a running job.',
      params: jidParam,
      returns: 'mapping `{tgt_type, jid, tgt, pid, ret, user, arg, fun}`; empty when no such job runs',
      run: async (ctx, { jid }) =>
        (await runningJobs(ctx)).find((job) => job.get('jid') === jid) ?? new Map<Value, Value>(),
    }),
    find_cached_job: defineFunction({
      doc: 'Gives the return of a job that has ended, from the cache on the minion (option `cache_jobs`).',
      params: jidParam,
      returns: 'the return as mapping; a text when there is none',
      run: (ctx, { jid }) => cachedJob(ctx, jid),
    }),
    signal_job: defineFunction({
      doc: 'Sends a signal to a running job.',
      params: { ...jidParam, sig: param.count({ doc: 'Number of the signal.' }) },
      returns: 'text that says what was done; empty when no such job runs',
      examples: ["salt '*' saltutil.signal_job <job id> 15"],
      run: (ctx, { jid, sig }) => signalJob(ctx, jid, sig),
    }),
    term_job: defineFunction({
      doc: 'Asks a running job to end (signal 15).',
      params: jidParam,
      returns: 'text that says what was done; empty when no such job runs',
      run: (ctx, { jid }) => signalJob(ctx, jid, SIGTERM),
    }),
    kill_job: defineFunction({
      doc: 'Ends a running job at once (signal 9).',
      params: jidParam,
      returns: 'text that says what was done; empty when no such job runs',
      run: (ctx, { jid }) => signalJob(ctx, jid, SIGKILL),
    }),
    term_all_jobs: defineFunction({
      doc: 'Asks all running jobs but this one to end (signal 15).',
      returns: 'list of texts, one per job',
      run: (ctx) => signalAllJobs(ctx, SIGTERM),
    }),
    kill_all_jobs: defineFunction({
      doc: 'Ends all running jobs but this one at once (signal 9).',
      returns: 'list of texts, one per job',
      run: (ctx) => signalAllJobs(ctx, SIGKILL),
    }),
    refresh_pillar: refreshPillar,
    pillar_refresh: {
      ...refreshPillar,
      doc: 'Another name of `saltutil.refresh_pillar`.',
      pythonName: 'refresh_pillar',
    },
    refresh_modules: defineFunction({
      doc: 'Has the modules loaded anew; with `async=False` returns only when that is done.',
      kwargs: 'kwargs',
      returns: 'True; False when nothing took the request',
      examples: ["salt '*' saltutil.refresh_modules", "salt '*' saltutil.refresh_modules async=False"],
      run: (ctx, _args, _rest, kwargs) => {
        const wait = kwargs.has('async') && !truthy(kwargs.get('async'));
        return ctx.services.refresh('modules', dict({ wait, timeout: 30 }));
      },
    }),
    refresh_grains: defineFunction({
      doc: 'Has the grains loaded anew, the modules, and unless `refresh_pillar=False` the pillar.',
      kwargs: 'kwargs',
      returns: 'True',
      examples: ["salt '*' saltutil.refresh_grains", "salt '*' saltutil.refresh_grains refresh_pillar=False"],
      run: async (ctx, _args, _rest, kwargs) => {
        const given = withoutDunder(kwargs);
        refuseKeywords(kwargs, ['refresh_pillar', 'clean_pillar_cache']);
        const options = {
          refresh_pillar: truthy(given.get('refresh_pillar') ?? !given.has('refresh_pillar')),
          clean_cache: truthy(given.get('clean_pillar_cache')),
        };
        await ctx.services.refresh('grains', dict(options));
        return true;
      },
    }),
    refresh_beacons: defineFunction({
      doc: 'Has the beacons loaded anew.',
      returns: 'True; False when nothing took the request',
      run: (ctx) => ctx.services.refresh('beacons'),
    }),
    refresh_matchers: defineFunction({
      doc: 'Has the matchers loaded anew.',
      returns: 'True; False when nothing took the request',
      run: (ctx) => ctx.services.refresh('matchers'),
    }),
    ...syncFunctions,
    sync_outputters: {
      ...(syncFunctions['sync_output'] as FunctionSpec),
      doc: 'Another name of `saltutil.sync_output`.',
      pythonName: 'sync_output',
    },
    sync_all: defineFunction({
      doc: 'Brings custom modules of every kind over from the files of the master.',
      params: { ...syncParams, clean_pillar_cache: cleanPillarCacheParam },
      returns:
        'mapping of kind to the names that changed; without a master the kind `pillar` is among them. The log ' +
        'says which modules in Python are not loaded, and why',
      run: async (ctx, args: SyncArguments) => {
        const masterless = ctx.opts.get('file_client') === 'local';
        const synced = Object.keys(SYNC_KINDS).filter((kind) => kind !== 'pillar' || masterless);
        const changed: Dict = new Map();
        const environments = await environmentsOf(ctx, args['saltenv']);
        for (const kind of synced) {
          const found = await syncFiles(ctx, kind, args, environments, true);
          changed.set(kind, found.changed);
        }
        if (args['refresh'] === true) await refreshFor(ctx, 'pillar', args['clean_pillar_cache'] === true);
        return changed;
      },
    }),
    list_extmods: defineFunction({
      doc: 'Lists the custom modules that were synced to this minion.',
      returns: 'mapping of kind to list of names',
      run: (ctx) => customModules(ctx),
    }),
    clear_cache: defineFunction({
      doc: "Removes all files from the minion's cache but the one that keeps recorded jobs from running again.",
      returns: 'True; False when a file could not be removed',
      run: (ctx) =>
        clearing(ctx, 'clear_cache', async () => {
          const journal = join(cacheFolder(ctx), PUBLICATION_JOURNAL);
          for (const path of await filesBelow(cacheFolder(ctx)))
            if (path !== journal) await rm(path, { force: true });
        }),
    }),
    clear_job_cache: defineFunction({
      doc: 'Removes the cached returns of jobs that ended some time ago.',
      params: { hours: param.numberOnly({ default: 24, doc: 'How old they must be, in hours.' }) },
      returns: 'True; False when something could not be removed',
      run: (ctx, { hours }) => clearing(ctx, 'clear_job_cache', () => removeOldJobs(ctx, hours ?? 24)),
    }),
    regen_keys: defineFunction({
      doc: "Removes the minion's keys and what it knows of the master's; new ones are made at the next authentication.",
      returns: 'None',
      run: async (ctx) => {
        const folder = optionOf(ctx.opts, 'pki_dir');
        for (const { path, isFolder } of await entriesOf(folder)) {
          if (!isFolder)
            await unlink(path).catch((error: unknown) => ctx.log.warning(`${path} stays`, error));
        }
        return null;
      },
    }),
    revoke_auth: defineFunction({
      doc: "Asks the master to delete this minion's key. The answer to this very job may then not arrive.",
      params: {
        preserve_minion_cache: param.value({
          default: false,
          type: 'bool',
          doc: 'Have the master keep its cache about this minion.',
        }),
      },
      returns: 'True; False when the master did not take the request',
      run: async (ctx, { preserve_minion_cache }) => {
        const load = dict({ cmd: 'revoke_auth', id: ctx.id, preserve_minion_cache });
        try {
          await ctx.services.request(load);
          return true;
        } catch (error) {
          ctx.log.warning('The master did not take the request to revoke the key.', error);
          return false;
        }
      },
    }),
    ...masterFunctions,
    mmodule: defineFunction({
      doc: 'Calls a function with the modules of an environment.',
      params: {
        saltenv: param.value({ type: 'str', doc: 'The environment.' }),
        fun: param.text({ doc: 'Full name of the function.' }),
      },
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'what the function returns',
      examples: ["salt '*' saltutil.mmodule base test.ping"],
      run: (ctx, { fun }, rest, kwargs) => ctx.functions.call(fun, rest, withoutDunder(kwargs)),
    }),
    update: defineFunction({
      doc: 'Would update a minion that was installed as a single bundle; this one is updated with its package.',
      params: { version: param.value({ default: null, type: 'str', doc: 'The version to install.' }) },
      returns: '`{_error: text}`',
      run: () => dict({ _error: 'Esky not available as import' }),
    }),
  },
});
