/** `fileserver.*`: the files that the master serves (salt/runners/fileserver.py, 3006.16). */
import { BACKEND, FileServer } from '../fileserver/file-server.ts';
import { clearListCache } from '../fileserver/list-cache.ts';
import { fileServerSettings } from '../fileserver/settings.ts';
import { UPDATE_TAG, updateEvent, updateFileServer } from '../fileserver/update.ts';
import type { Params } from '../loader/module.ts';
import { pyStr } from '../values/repr.ts';
import { truthy, type Value } from '../values/value.ts';
import { defineRunner, defineRunners, type RunnerContext, type RunnerSpec } from './runner.ts';

const backend = {
  default: null,
  type: 'str or list',
  doc: 'Only these backends; `-name` for all but this one.',
};
const saltenv = { default: 'base', type: 'str', doc: 'The environment.' };
const remote = { default: null, type: 'str', doc: 'Only repositories whose name contains this.' };

function serverOf(ctx: RunnerContext): FileServer {
  const { opts, clock, log } = ctx;
  return new FileServer({ settings: fileServerSettings(opts.toDict(), log), clock, log });
}

/** True when the one backend that there is belongs to those that are asked for. */
function isMeant(server: FileServer, wanted: Value): boolean {
  if (!truthy(wanted)) return server.isOn;
  const names = Array.isArray(wanted) ? wanted.map(pyStr) : pyStr(wanted).split(',');
  if (names.every((name) => name.startsWith('-'))) return server.isOn && !names.includes(`-${BACKEND}`);
  return names.includes(BACKEND);
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
      return isMeant(server, args.backend) ? list(server, pyStr(args.saltenv)) : none();
    },
  });
}

/** What only backends with repositories have. */
function withoutRepositories(name: string, doc: string, params: Params, answer: string): RunnerSpec {
  return defineRunner({
    doc: `${doc} The \`roots\` backend has none.`,
    params,
    returns: 'text',
    examples: [`salt-run fileserver.${name}`],
    run: () => answer,
  });
}

/** The fileserver runner. */
export const fileserverRunners = defineRunners({
  name: 'fileserver',
  doc: 'The file server of the master.',
  functions: {
    envs: defineRunner({
      doc: 'Lists the environments.',
      params: { backend, sources: { default: false, type: 'bool', doc: 'The backends instead.' } },
      returns: 'sorted list of names',
      examples: ['salt-run fileserver.envs'],
      run: (ctx, { backend: wanted, sources }) => {
        const server = serverOf(ctx);
        if (!isMeant(server, wanted)) return [];
        return truthy(sources) ? [BACKEND] : server.environments();
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
        saltenv: { default: null, type: 'str or list', doc: 'Only these environments.' },
        backend,
      },
      returns: 'mapping of backend to the environments whose lists were forgotten',
      examples: ['salt-run fileserver.clear_file_list_cache saltenv=base,prod'],
      run: (ctx, { saltenv: wanted, backend: backends }) => {
        const server = serverOf(ctx);
        if (!isMeant(server, backends)) return new Map();
        const names = Array.isArray(wanted) ? wanted.map(pyStr) : pyStr(wanted).split(',');
        const environments = wanted === null ? undefined : names.map((name) => name.trim());
        return new Map(clearListCache(server.settings, environments, [BACKEND]));
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
