/**
 * The contract of a minion and its engines, which talk over Node's own channel; functions are asked for over a link of
 * their own.
 */
import { minionOptions, type MinionOptions } from '../../../config/minion-options.ts';
import { Options } from '../../../config/option.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';
import type { PartMessage, SupervisorOrder } from '../../daemon/supervisor.ts';

/** What an engine sees of its minion. */
export interface Surroundings {
  readonly grains: Dict;
  readonly pillar: Dict;
}

/** From the minion. */
export type ToEngine =
  | {
      readonly type: 'start';
      /** Which of the configured engines; the reactor is {@link REACTOR_INDEX}. */
      readonly index: number;
      /** In base64 of msgpack. */
      readonly opts: string;
      readonly surroundings: string;
    }
  | { readonly type: 'surroundings'; readonly surroundings: string }
  | SupervisorOrder;

/** Stands for the reactor in place of a number. */
export const REACTOR_INDEX = -1;

/** Packs a mapping for an engine. */
export function pack(value: Dict): string {
  return encode(value, 'local').toString('base64');
}

/** Packs what an engine sees. */
export function packSurroundings({ grains, pillar }: Surroundings): string {
  return encode([grains, pillar], 'local').toString('base64');
}

/** @throws TypeError for what no minion has packed */
export function readSurroundings(text: string): Surroundings {
  const value = decode(Buffer.from(text, 'base64'), 'local');
  const [grains, pillar] = Array.isArray(value) ? value : [];
  return {
    grains: isDict(grains ?? null) ? (grains as Dict) : new Map(),
    pillar: isDict(pillar ?? null) ? (pillar as Dict) : new Map(),
  };
}

/** Options that {@link pack} has packed. */
export function readOptions(text: string): MinionOptions {
  return new Options(minionOptions, decode(Buffer.from(text, 'base64'), 'local') as Dict);
}

/** What came from the minion; undefined when it is none of its messages. */
export function readToEngine(message: unknown): ToEngine | undefined {
  if (!isRecord(message)) return undefined;
  const { type, index, opts, surroundings } = message;
  if (type === 'ping' || type === 'stop') return { type };
  if (typeof surroundings !== 'string') return undefined;
  if (type === 'surroundings') return { type, surroundings };
  if (type !== 'start' || typeof index !== 'number' || typeof opts !== 'string') return undefined;
  return { type, index, opts, surroundings };
}

/** What came from an engine; undefined when it is none of its messages. */
export function readFromEngine(message: unknown): PartMessage | undefined {
  if (!isRecord(message)) return undefined;
  const { type } = message;
  return type === 'ready' || type === 'pong' ? { type } : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
