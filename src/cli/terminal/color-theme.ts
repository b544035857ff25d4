/** The option `color_theme`: a YAML file with other colours for the outputters (salt/utils/color.py, 3006.16). */
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { parseColorTheme } from '../../plugins/outputters/colors.ts';
import { loadYaml } from '../../formats/yaml/load.ts';

/** @returns the colours by name; undefined, which is logged, when there is no such file or it cannot be read */
export function readColorTheme(path: string, log: Logger): ReadonlyMap<string, string> | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    log.warning(`The named theme ${path} if not available`);
    return undefined;
  }
  try {
    return parseColorTheme(loadYaml(readFileSync(path, 'utf8'), { source: path }));
  } catch (error) {
    log.error(`The colour theme ${path} cannot be used: ${messageOf(error)}`);
    return undefined;
  }
}
