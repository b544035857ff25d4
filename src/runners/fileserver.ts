/** `fileserver.*`: the files that the master serves (salt/runners/fileserver.py, 3006.16). Not available yet. */
import type { Params } from '../loader/module.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerSpec } from './runner.ts';

const backend = { default: null, type: 'str or list', doc: 'Only these backends.' } as const;
const saltenv = { default: 'base', type: 'str', doc: 'The environment.' } as const;
const remote = { default: null, type: 'str', doc: 'Only repositories whose name contains this.' } as const;

function later(name: string, doc: string, params: Params): RunnerSpec {
  return defineRunner({
    doc: `${doc} Not available yet: the master does not serve files so far.`,
    params,
    returns: 'nothing so far',
    examples: [`salt-run fileserver.${name}`],
    run: () => {
      throw new RunnerRefusal(
        `fileserver.${name} is not available yet: the master does not serve files so far.`,
      );
    },
  });
}

/** The fileserver runner. */
export const fileserverRunners = defineRunners({
  name: 'fileserver',
  doc: 'The file server of the master.',
  functions: {
    envs: later('envs', 'Lists the environments.', {
      backend,
      sources: { default: false, type: 'bool', doc: 'Tell where each is from.' },
    }),
    file_list: later('file_list', 'Lists the files of an environment.', { saltenv, backend }),
    symlink_list: later('symlink_list', 'Lists the symbolic links of an environment.', { saltenv, backend }),
    dir_list: later('dir_list', 'Lists the folders of an environment.', { saltenv, backend }),
    empty_dir_list: later('empty_dir_list', 'Lists the empty folders of an environment.', {
      saltenv,
      backend,
    }),
    update: later('update', 'Brings the files up to date.', { backend }),
    clear_cache: later('clear_cache', 'Forgets cached files.', { backend }),
    clear_file_list_cache: later('clear_file_list_cache', 'Forgets cached lists of files.', {
      saltenv: { ...saltenv, default: null },
      backend,
    }),
    clear_lock: later('clear_lock', 'Removes update locks.', { backend, remote }),
    lock: later('lock', 'Sets update locks.', { backend, remote }),
  },
});
