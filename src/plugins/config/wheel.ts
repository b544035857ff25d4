/** `config.*`: the configuration of the master (salt/wheel/config.py, 3006.16). */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandExecutionError, UnsafePathError } from '../../errors/errors.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { readTextIfExists, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { isDir } from '../../python/paths.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineRunners, type RunnerContext } from '../shared/runner/runner.ts';
import { defineWheel } from '../shared/wheel/wheel.ts';

const NEW_FILE_MODE = 0o644;

/** The master's own file, which `-c` names by its folder. */
function configFile({ opts }: RunnerContext): string {
  const path = opts.get('conf_file');
  return isDir(path) ? join(path, 'master') : path;
}

function replace(path: string, content: Dict): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? NEW_FILE_MODE;
  writeFileAtomic(path, dumpYaml(content), { mode: mode & 0o7777, durable: true });
}

/** The functions for the configuration. */
export const configWheel = defineRunners({
  name: 'config',
  doc: 'The configuration of the master.',
  functions: {
    values: defineWheel({
      doc: 'Gives all options of the master.',
      returns: 'mapping of name to value',
      run: (ctx) => ctx.opts.toDict(),
    }),
    apply: defineWheel({
      // Salt compat: Salt empties the file, since what it makes of it is not written
      doc: 'Sets an option in the configuration file of the master, whose comments get lost. It holds from the next start on.',
      params: {
        key: param.text({ doc: 'Name of the option.' }),
        value: { type: 'any', doc: 'Its value.' },
      },
      returns: 'None',
      run: (ctx, { key, value }) => {
        const path = configFile(ctx);
        const given = loadYaml(readTextIfExists(path) ?? '');
        if (given !== null && !isDict(given))
          throw new CommandExecutionError(`${path} is no mapping of options; it is left as it is.`);
        replace(path, new Map([...(given ?? []), [key, value]]));
        return null;
      },
    }),
    update_config: defineWheel({
      doc: 'Writes a file of options into the folder that `default_include` names (`master.d`). It holds from the next start on.',
      params: {
        file_name: param.text({ doc: 'Name of the file without its ending `.conf`.' }),
        yaml_contents: { type: 'dict', doc: 'The options.' },
      },
      returns: '`Wrote NAME.conf`, or why not',
      run: (ctx, { file_name, yaml_contents }) => {
        if (!isDict(yaml_contents)) return 'yaml_contents has to be a mapping of options.';
        const name = `${file_name}.conf`;
        const folder = join(dirname(ctx.opts.get('conf_file')), dirname(ctx.opts.get('default_include')));
        try {
          const path = safeJoin(folder, name);
          if (dirname(path) !== folder) return 'Invalid path';
          makeFolders(folder, 0o755);
          replace(path, yaml_contents);
        } catch (error) {
          if (error instanceof UnsafePathError) return 'Invalid path';
          throw error;
        }
        return `Wrote ${name}`;
      },
    }),
  },
});
