/** `journald`: tells of entries of the journal (salt/beacons/journald.py, 3006.16), as `journalctl` gives them. */
import { createInterface } from 'node:readline';
import { startPiped, type PipedProcess } from '../../host/piped-process.ts';
import { parseJson } from '../../formats/json/parse.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID, type BeaconSpec, type Verdict } from '../shared/beacon/beacon.ts';
import { journalEntry } from './beacon/journal-entry.ts';

const COMMAND = ['journalctl', '--follow', '--lines=0', '--output=json', '--all', '--no-pager'];
/** Entries kept between two looks; of more the oldest are lost. */
const ENTRIES_MAX = 10_000;

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for journald beacon must be a list.'];
  const services = listToDict(config).get('services');
  for (const item of isDict(services) ? services.values() : [])
    if (!isDict(item))
      return [false, 'Services configuration for journald beacon must be a list of dictionaries.'];
  return VALID;
}

/** The entries since it began; starts again when the program has ended. */
class Journal {
  readonly #command: readonly string[];
  #program: Promise<PipedProcess> | undefined;
  #lines: string[] = [];

  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** What has come since the last time. @throws SpawnError when journalctl cannot be started */
  async take(): Promise<string[]> {
    this.#program ??= this.#start();
    await this.#program.catch((error: unknown) => {
      this.#program = undefined;
      throw error;
    });
    return this.#lines.splice(0);
  }

  async #start(): Promise<PipedProcess> {
    const program = await startPiped(this.#command);
    createInterface({ input: program.stdout }).on('line', (line) => {
      if (this.#lines.length >= ENTRIES_MAX) this.#lines.shift();
      this.#lines.push(line);
    });
    program.stderr.resume();
    void program.exited.then(() => (this.#program = undefined));
    return program;
  }

  close(): void {
    void this.#program?.then((program) => program.kill()).catch(() => undefined);
    this.#program = undefined;
  }
}

/** The entry for a service whose fields are all as wanted. */
function matches(entry: Dict, wanted: Value): boolean {
  return isDict(wanted) && [...wanted].every(([key, value]) => valuesEqual(entry.get(key) ?? null, value));
}

function eventsOf(line: string, services: Dict): Dict[] {
  const raw = parseJson(line);
  if (!isDict(raw)) return [];
  const entry = journalEntry(raw);
  return [...services]
    .filter(([, wanted]) => matches(entry, wanted))
    .map(([name]): Dict => new Map([...entry, ['tag', name]]));
}

/** @param command that prints entries; another one in tests */
export function journaldBeacon(command: readonly string[] = COMMAND): BeaconSpec {
  return defineBeacon({
    name: 'journald',
    doc: 'Reports entries of the journal whose fields are as said.',
    params: {
      services: param.mapping({ default: null, doc: 'the fields that are wanted, by the name of the event' }),
    },
    validate,
    start: () => {
      const journal = new Journal(command);
      return {
        look: async ({ services }) => (await journal.take()).flatMap((line) => eventsOf(line, services)),
        close: () => journal.close(),
      };
    },
  });
}
