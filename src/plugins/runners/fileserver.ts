/** `fileserver.*`: the files that the master serves (salt/runners/fileserver.py, 3006.16). */
import { BACKEND, FileServer } from '../../storage/fileserver/file-server.ts';
import { clearListCache } from '../../storage/fileserver/list-cache.ts';
import { fileServerSettings } from '../../storage/fileserver/settings.ts';
import { UPDATE_TAG, updateEvent, updateFileServer } from '../../storage/fileserver/update.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners, type RunnerContext, type RunnerSpec, RunnerRefusal } from './runner.ts';
import { param } from '../../runtime/loader/params.ts';

const backend = param.by((value) => (truthy(value) ? namesIn(value) : undefined), {
  default: null,
  type: 'str or list',
  doc: 'Only these backends; `-name` for all but this one.',
});
const saltenv = param.text({ default: 'base', doc: 'The environment.' });
const remote = { default: null, type: 'str', doc: 'Only repositories whose name contains this.' };

function serverOf(ctx: RunnerContext): FileServer {
  const { opts, clock, log } = ctx;
  return new FileServer({ settings: fileServerSettings(opts.toDict(), log), clock, log });
}

/** Names: a list of them, or a text with commas. */
function namesIn(value: Value): string[] {
  const names = Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
  return names.map((name) => name.trim());
}

/** Names that Salt takes for the backend, and the only one that there is. */
const BACKEND_NAMES = new Set([BACKEND, `${BACKEND}fs`]);

/**
 * True when the one backend that there is belongs to those that are asked for.
 * @throws RunnerRefusal for a name that is no backend. Salt compat: Salt does nothing, and says that it is done.
 */
function isMeant(server: FileServer, names: readonly string[] | undefined): boolean {
  if (names === undefined) return server.isOn;
  const strange = names.map((name) => name.replace(/^-/, '')).filter((name) => !BACKEND_NAMES.has(name));
  if (strange.length > 0)
    throw new RunnerRefusal(
      `The file server has no backend '${strange.join("', '")}'; there is only '${BACKEND}'. Nothing was done.`,
    );
  if (!server.isOn)
    throw new RunnerRefusal(`The backend '${BACKEND}' is not in fileserver_backend. Nothing was done.`);
  if (names.every((name) => name.startsWith('-'))) return server.isOn && !names.includes(`-${BACKEND}`);
  return names.some((name) => BACKEND_NAMES.has(name));
}

/** One listing of an environment. */
function listing(
  name: string,
  doc: string,
  list: (server: FileServer, environment: string) => Promise<Value>,
  none: () => Value = () => [],
): RunnerSpec {
  return defineRunner({
    doc,
    params: { saltenv, backend },
    returns: 'sorted list of paths; for links a mapping of each to what it says',
    examples: [`salt-run fileserver.${name}`, `salt-run fileserver.${name} saltenv=prod`],
    run: (ctx, args) => {
      const server = serverOf(ctx);
      return isMeant(server, args.backend) ? list(server, args.saltenv) : none();
    },
  });
}

/** What only backends with repositories have. */
function withoutRepositories(
  name: string,
  doc: string,
  params: { readonly backend: typeof backend; readonly remote?: typeof remote },
  answer: string,
): RunnerSpec {
  return defineRunner({
    doc: `${doc} The \`roots\` backend has none.`,
    params,
    returns: 'text',
    examples: [`salt-run fileserver.${name}`],
    run: (ctx, args) => {
      isMeant(serverOf(ctx), args.backend);
      return answer;
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
        if (!isMeant(server, wanted)) return [];
        return sources ? [BACKEND] : server.environments();
      },
    }),
    file_list: listing('file_list', 'Lists the files of an environment.', (server, environment) =>
      server.list(environment, 'files'),
    ),
    symlink_list: listing(
      'symlink_list',
      'Lists the symbolic links of an environment.',
      async (server, environment) => new Map(await server.links(environment)),
      () => new Map(),
    ),
    dir_list: listing('dir_list', 'Lists the folders of an environment.', (server, environment) =>
      server.list(environment, 'dirs'),
    ),
    empty_dir_list: listing(
      'empty_dir_list',
      'Lists the empty folders of an environment.',
      (server, environment) => server.list(environment, 'empty_dirs'),
    ),
    update: defineRunner({
      doc: 'Brings the file server up to date: forgets cached sums of files that are gone, and notes what has changed.',
      params: { backend },
      kwargs: 'kwargs',
      returns: 'True',
      examples: ['salt-run fileserver.update'],
      run: async (ctx, { backend: wanted }) => {
        const server = serverOf(ctx);
        if (!isMeant(server, wanted)) return true;
        const changes = await updateFileServer(server.settings);
        if (changes.isChanged && ctx.opts.get('fileserver_events'))
          await ctx.fire(UPDATE_TAG, updateEvent(changes));
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
        if (!isMeant(server, backends)) return new Map();
        return new Map(clearListCache(server.settings, wanted, [BACKEND]));
      },
    }),
    clear_cache: withoutRepositories(
      'clear_cache',
      'Forgets what repositories have cached.',
      { backend },
      'No cache was cleared',
    ),
    clear_lock: withoutRepositories(
      'clear_lock',
      'Removes update locks of repositories.',
      { backend, remote },
      'No locks were removed',
    ),
    lock: withoutRepositories(
      'lock',
      'Sets update locks of repositories.',
      { backend, remote },
      'No locks were set',
    ),
  },
});
