/** `ps`: tells which processes run, or do not (salt/beacons/ps.py, 3006.16). */
import { readdirSync, readFileSync } from 'node:fs';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID, type BeaconSpec, type Verdict } from '../shared/beacon/beacon.ts';

/** The kernel keeps this many characters of a process's name; longer names are completed from its command line. */
const NAME_LENGTH = 15;

/** The names of all processes, as psutil gives them. */
function processNames(root = '/proc'): Set<string> {
  const names = new Set<string>();
  for (const pid of readdirSync(root)) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      names.add(nameOf(`${root}/${pid}`));
    } catch {
      // gone meanwhile
    }
  }
  return names;
}

function nameOf(folder: string): string {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  if (name.length < NAME_LENGTH) return name;
  const program = readFileSync(`${folder}/cmdline`, 'utf8').split('\0')[0] ?? '';
  const full = program.slice(program.lastIndexOf('/') + 1);
  return full.startsWith(name) ? full : name;
}

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for ps beacon must be a list.'];
  const options = listToDict(config);
  if (!options.has('processes')) return [false, 'Configuration for ps beacon requires processes.'];
  if (!isDict(options.get('processes'))) return [false, 'Processes for ps beacon must be a dictionary.'];
  return VALID;
}

/** What is told of a process; undefined for nothing. */
function report(wanted: Value, isRunning: boolean): Value | undefined {
  if (wanted === 'running') return isRunning ? 'Running' : undefined;
  if (isRunning) return undefined;
  return wanted === 'stopped' ? 'Stopped' : false;
}

/** The beacon. */
export function psBeacon(names: () => ReadonlySet<string> = processNames): BeaconSpec {
  return defineBeacon({
    name: 'ps',
    doc: 'Reports which processes run (`running`) or do not (`stopped`).',
    params: {
      processes: param.mapping({ default: null, doc: '`running` or `stopped` by the name of the process' }),
    },
    validate,
    start: () => ({
      look: ({ processes }) => {
        const running = names();
        const events: Dict[] = [];
        for (const [name, wanted] of processes) {
          const told = report(wanted, running.has(String(name)));
          if (told !== undefined) events.push(new Map([[name, told]]));
        }
        return events;
      },
    }),
  });
}
