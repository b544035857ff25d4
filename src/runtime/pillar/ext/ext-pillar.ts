/** What an external pillar is (3006.16 salt/pillar/). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** The minion whose pillar is made. */
export interface ExtPillarContext {
  readonly minionId: string;
  readonly grains: Dict;
  /** What the minion tells besides its grains (`pass_to_ext_pillars`). */
  readonly extraMinionData?: Dict;
  /** The pillar so far. */
  readonly pillar: Dict;
  /** The options of the compiling program, with the minion's id. */
  readonly opts: Dict;
  readonly log: Logger;
  /** Applies a renderer that decrypts to data, but to nothing that the minion has sent itself. */
  readonly decrypt?: (renderer: string, value: Value) => Promise<Value>;
  /** Faults, which the pillar tells in `_errors` beside what is there. */
  readonly errors: string[];
}

/** An external pillar. @param settings what stands behind its name in `ext_pillar` */
export type ExtPillar = (settings: Value, context: ExtPillarContext) => Promise<Value> | Value;

/** What one source may give for one minion, in bytes: every minion's pillar is held, encrypted and sent as a whole. */
export const SOURCE_BYTES_MAX = 16 * 1024 * 1024;

/** @throws CommandExecutionError for more than a source may give. @param what it is, for the message */
export function checkSourceSize(what: string, sizeBytes: number): void {
  if (sizeBytes <= SOURCE_BYTES_MAX) return;
  throw new CommandExecutionError(
    `${what} gives more than ${SOURCE_BYTES_MAX / 1024 / 1024} MiB, which is more than a pillar may take from one source; narrow it ` +
      'to what the minion needs',
  );
}

/** Settings as Salt hands them over: a mapping by name, a list or a single value by position. */
export function namedSettings(settings: Value, names: readonly string[]): ReadonlyMap<string, Value> {
  if (isDict(settings)) return new Map([...settings].map(([key, value]) => [String(key as string), value]));
  const list = Array.isArray(settings) ? settings : [settings];
  return new Map(list.slice(0, names.length).map((value, i) => [names[i] as string, value]));
}
