/**
 * The schedule on disk: `<configuration folder>/minion.d/_schedule.conf` (salt/utils/schedule.py `persist`, 3006.16).
 */
import { dirname, join } from 'node:path';
import { makeDirectory, readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { loadYaml } from '../../formats/yaml/load.ts';

/** Where the schedule is kept; undefined without a configuration file. */
function scheduleFile(opts: Dict): string | undefined {
  const conf = opts.get('conf_file');
  const include = opts.get('default_include');
  const folder = opts.get('conf_dir');
  const base =
    typeof folder === 'string' && folder !== '' ? folder : typeof conf === 'string' ? dirname(conf) : '';
  if (base === '') return undefined;
  return join(base, dirname(typeof include === 'string' ? include : 'minion.d/*.conf'), '_schedule.conf');
}

/** The jobs without the attributes that are not configuration. */
function visible(schedule: Dict): Dict {
  const out: Dict = new Map();
  for (const [name, data] of schedule) {
    const isShown = ([key]: [Value, Value]): boolean => !(typeof key === 'string' && key.startsWith('_'));
    out.set(name, isDict(data) ? new Map([...data].filter(isShown)) : data);
  }
  return out;
}

/** Writes the jobs. @throws the system's error */
export function saveSchedule(opts: Dict, schedule: Dict): void {
  const path = scheduleFile(opts);
  if (path === undefined) return;
  makeDirectory(dirname(path), 0o755);
  writeFileAtomic(path, dumpYaml(new Map([['schedule', visible(schedule)]]), { defaultFlowStyle: null }), {
    mode: 0o600,
    durable: true,
  });
}

/** The jobs on disk; empty when there are none. @throws YamlError */
export function savedSchedule(opts: Dict): Dict {
  const path = scheduleFile(opts);
  const text = path === undefined ? undefined : readTextIfExists(path);
  if (text === undefined || text.trim() === '') return new Map();
  const content = loadYaml(text);
  const schedule = isDict(content) ? content.get('schedule') : undefined;
  return isDict(schedule) ? schedule : new Map();
}
