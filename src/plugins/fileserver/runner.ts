/** `fileserver.*`: the files that the master serves (salt/runners/fileserver.py, 3006.16). */
import { backendName } from '../../storage/fileserver/backends.ts';
import type { FileServer } from '../../storage/fileserver/file-server.ts';
import {
  fetchedEvent,
  fetchedTag,
  isFetched,
  type FetchedBackend,
} from '../../storage/fileserver/fetched.ts';
import { GITFS } from '../../storage/fileserver/gitfs.ts';
import { ROOTS, type FileBackend } from '../../storage/fileserver/layer.ts';
import { clearListCache } from '../../storage/fileserver/list-cache.ts';
import { openFileServer } from '../../storage/fileserver/open.ts';
import { UPDATE_TAG, updateEvent, updateFileServer } from '../../storage/fileserver/update.ts';
import { updateRemotes as fetchRemotes, type FetchedRemote } from '../../storage/remotes/update-remotes.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import {
  defineRunner,
  defineRunners,
  type RunnerContext,
  type RunnerSpec,
  RunnerRefusal,
} from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const backend = param.by((value) => (truthy(value) ? namesIn(value) : undefined), {
  default: null,
  type: 'str or list',
  doc: 'Only these backends; `-name` for all but this one.',
});
const saltenv = param.text({ default: 'base', doc: 'The environment.' });
const remote = param.textOrNone({ default: null, doc: 'Only repositories whose name contains this.' });

function serverOf(ctx: RunnerContext): FileServer {
  const { opts, clock, random, log } = ctx;
  return openFileServer({ opts: opts.toDict(), clock, random, log });
}

/** Names: a list of them, or a text with commas. */
function namesIn(value: Value): string[] {
  const names = Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
  return names.map((name) => name.trim());
}

/**
 * The backends that are meant: all without names; with names those, or, when all names begin with `-`, the others.
 * @throws RunnerRefusal for a name that is none of the master's. Salt compat: Salt does nothing, and says that it is
 *   done.
 */
function meant(server: FileServer, names: readonly string[] | undefined): readonly FileBackend[] {
  if (names === undefined) return server.backends;
  const wanted = names.map((name) => backendName(name.replace(/^-/, '')));
  const served = server.backends.map(({ name }) => backendName(name));
  const strange = wanted.filter((name) => !served.includes(name));
  if (strange.length > 0)
    throw new RunnerRefusal(
      `The file server has no backend '${strange.join("', '")}'; fileserver_backend names ${served.join(', ')}. Nothing was done.`,
    );
  const excluded = names.filter((name) => name.startsWith('-')).map((name) => backendName(name.slice(1)));
  const chosen = names.filter((name) => !name.startsWith('-')).map(backendName);
  return server.backends.filter(({ name }) =>
    chosen.length > 0 ? chosen.includes(backendName(name)) : !excluded.includes(backendName(name)),
  );
}

/** The remotes of the meant backends whose address holds a text. */
function remotesOf(
  ctx: RunnerContext,
  names: readonly string[] | undefined,
  matching = '',
): { backend: string; remote: FetchedRemote }[] {
  const text = matching.replace(/^\*|\*$/g, '');
  return meant(serverOf(ctx), names)
    .filter(isFetched)
    .flatMap(({ name, remotes }) => remotes.map((one) => ({ backend: name, remote: one })))
    .filter(({ remote: { id } }) => id.includes(text));
}

/** Where a lock is, in the words of Salt's backends. */
const lockOf = (backendOf: string, { id }: FetchedRemote): string =>
  backendOf === GITFS ? `update lock for gitfs remote '${id}'` : `lock for ${id}`;

/** One listing of an environment. */
function listing(
  name: string,
  doc: string,
  list: (server: FileServer, environment: string, of: { backends: readonly FileBackend[] }) => Promise<Value>,
): RunnerSpec {
  return defineRunner({
    doc,
    params: { saltenv, backend },
    returns: 'sorted list of paths; for links a mapping of each to what it says',
    examples: [`salt-run fileserver.${name}`, `salt-run fileserver.${name} saltenv=prod`],
    run: (ctx, args) => {
      const server = serverOf(ctx);
      return list(server, args.saltenv, { backends: meant(server, args.backend) });
    },
  });
}

/** A function of remotes. */
function ofRemotes(
  name: string,
  doc: string,
  {
    key,
    nothing,
    each,
  }: { key: string; nothing: string; each: (remote: FetchedRemote, backendOf: string) => string | undefined },
): RunnerSpec {
  return defineRunner({
    doc,
    params: { backend, remote },
    returns: 'mapping with what was done, one sentence for each remote; a text when there was nothing to do',
    examples: [`salt-run fileserver.${name}`, `salt-run fileserver.${name} backend=git remote=github`],
    run: (ctx, args) => {
      const done = remotesOf(ctx, args.backend, args.remote)
        .map((found) => each(found.remote, found.backend))
        .filter((said) => said !== undefined);
      return done.length === 0 ? nothing : dict({ [key]: done });
    },
  });
}

/** The fileserver runner. */
export const fileserverRunners = defineRunners({
  name: 'fileserver',
  doc: 'The file server of the master.',
  functions: {
    envs: defineRunner({
      doc: 'Lists the environments.',
      params: { backend, sources: param.flag({ default: false, doc: 'The backends instead.' }) },
      returns: 'sorted list of names',
      examples: ['salt-run fileserver.envs'],
      run: (ctx, { backend: wanted, sources }) => {
        const server = serverOf(ctx);
        const backends = meant(server, wanted);
        return sources ? backends.map(({ name }) => name) : server.environments(backends);
      },
    }),
    file_list: listing('file_list', 'Lists the files of an environment.', (server, environment, of) =>
      server.list(environment, 'files', of),
    ),
    symlink_list: listing(
      'symlink_list',
      'Lists the symbolic links of an environment.',
      async (server, environment, of) => new Map(await server.links(environment, of)),
    ),
    dir_list: listing('dir_list', 'Lists the folders of an environment.', (server, environment, of) =>
      server.list(environment, 'dirs', of),
    ),
    empty_dir_list: listing(
      'empty_dir_list',
      'Lists the empty folders of an environment.',
      (server, environment, of) => server.list(environment, 'empty_dirs', of),
    ),
    update: defineRunner({
      doc: 'Brings the file server up to date: fetches remotes, forgets cached sums of files that are gone, and notes what has changed.',
      params: { backend, remote },
      returns: 'True',
      examples: ['salt-run fileserver.update', 'salt-run fileserver.update backend=git'],
      run: async (ctx, { backend: wanted, remote: matching = '' }) => {
        const server = serverOf(ctx);
        for (const one of meant(server, wanted)) {
          if (one.name === ROOTS) await updateRoots(ctx, server);
          else if (isFetched(one)) await updateRemotes(ctx, one, matching);
        }
        return true;
      },
    }),
    clear_file_list_cache: defineRunner({
      doc: 'Forgets the cached lists of files, so that new files are seen at once.',
      params: {
        saltenv: param.by((value) => (value === null ? undefined : namesIn(value)), {
          default: null,
          type: 'str or list',
          doc: 'Only these environments.',
        }),
        backend,
      },
      returns: 'mapping of backend to the environments whose lists were forgotten',
      examples: ['salt-run fileserver.clear_file_list_cache saltenv=base,prod'],
      run: (ctx, { saltenv: wanted, backend: backends }) => {
        const server = serverOf(ctx);
        const names = meant(server, backends).map(({ name }) => name);
        return new Map(clearListCache(server.settings, wanted, names));
      },
    }),
    clear_cache: defineRunner({
      doc: 'Forgets the copies of remote repositories; they are fetched whole the next time.',
      params: { backend },
      returns: 'mapping with one sentence for each backend; a text when there was nothing to forget',
      examples: ['salt-run fileserver.clear_cache', 'salt-run fileserver.clear_cache backend=git'],
      run: (ctx, args) => {
        const chosen = meant(serverOf(ctx), args.backend).filter(isFetched);
        for (const { repository } of chosen.flatMap(({ remotes }) => remotes)) repository.clear();
        if (chosen.length === 0) return 'No cache was cleared';
        return dict({
          cleared: chosen.map(({ name }) => `The ${name} fileserver cache was successfully cleared`),
        });
      },
    }),
    clear_lock: ofRemotes('clear_lock', 'Removes update locks of remotes, so that they are fetched again.', {
      key: 'cleared',
      nothing: 'No locks were removed',
      each: (one, backendOf) => (one.repository.unlock() ? `Removed ${lockOf(backendOf, one)}` : undefined),
    }),
    lock: ofRemotes('lock', 'Sets update locks of remotes: nothing is fetched until they are removed.', {
      key: 'locked',
      nothing: 'No locks were set',
      each: (one, backendOf) => (one.repository.lock() ? `Set ${lockOf(backendOf, one)}` : undefined),
    }),
  },
});

async function updateRoots(ctx: RunnerContext, { settings }: FileServer): Promise<void> {
  const changes = await updateFileServer(settings);
  if (changes.isChanged && ctx.opts.get('fileserver_events'))
    await ctx.fire(UPDATE_TAG, updateEvent(changes));
}

/** @throws RunnerRefusal when a remote cannot be fetched. Salt compat: Salt says True, and its log why not. */
async function updateRemotes(
  ctx: RunnerContext,
  { name, remotes }: FetchedBackend,
  matching: string,
): Promise<void> {
  const { isChanged, faults } = await fetchRemotes(remotes, ctx, { role: name, matching });
  if (isChanged && ctx.opts.get('fileserver_events'))
    await ctx.fire(fetchedTag(name), fetchedEvent(name, isChanged));
  if (faults.length > 0) throw new RunnerRefusal(faults.join('\n'));
}
