/** Targets as the interface takes them, and whom they reach. */
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { refuseFault, type RightsQuestion } from './rights.ts';
import {
  anything,
  component,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  text,
  type SchemaType,
} from './schema.ts';

/** The kinds of targets that are taken. */
export const targetType = component(
  'TargetType',
  oneOf([
    'glob',
    'pcre',
    'list',
    'grain',
    'grain_pcre',
    'pillar',
    'pillar_pcre',
    'pillar_exact',
    'nodegroup',
    'ipcidr',
    'compound',
  ]),
);

/** Minions that are looked at for cached data. */
const LOOKED_AT_MAX = 1000;
const MINIONS = 1000;

/** Whom a target reaches. */
export const preview = component(
  'Preview',
  object({
    tgt: anything(),
    tgt_type: targetType,
    count: integer(),
    connected: integer(),
    minions: list(object({ id: text(), connected: flag() }), { description: 'sorted, at most `limit`' }),
    missing: list(text(), { description: 'names of a list that have no accepted key' }),
    unsure: flag('nothing is known of some of these minions, which may not fit after all'),
    allowed: flag('whether one may run the function on all of them'),
    reason: nullable(text()),
  }),
);

/** What is to be looked at. */
export interface PreviewOrder {
  readonly tgt: Value;
  readonly tgtType: SchemaType<typeof targetType>;
  readonly fun: string | readonly string[];
  readonly args: readonly Value[];
  readonly limit?: number;
}

/** Finds out whom a target reaches. Nothing is sent to anybody. @throws ApiFault `bad-target` */
export async function previewOf(
  { rights, files }: Deps,
  caller: Caller,
  { tgt, tgtType, fun, args, limit = MINIONS }: PreviewOrder,
): Promise<SchemaType<typeof preview>> {
  const question: RightsQuestion = { client: 'local', fun, args, tgt, tgtType };
  const { decisions } = await rights.ask(caller, [question]);
  const [decision] = decisions;
  refuseFault(decision?.fault);
  const minions = [...(decision?.minions ?? [])].sort();
  const presence = await files.presence(minions);
  const isConnected = (id: string): boolean => presence.get(id)?.isConnected === true;
  const looksAtData = !['glob', 'pcre', 'list'].includes(tgtType);
  return {
    tgt,
    tgt_type: tgtType,
    count: minions.length,
    connected: minions.filter(isConnected).length,
    minions: minions.slice(0, limit).map((id) => ({ id, connected: isConnected(id) })),
    missing: decision?.missing ?? [],
    unsure:
      looksAtData &&
      minions.slice(0, LOOKED_AT_MAX).some((id) => files.minionData.stamp(id, 'data') === undefined),
    allowed: decision?.allowed === true,
    reason: decision?.allowed === true ? null : (decision?.reason ?? null),
  };
}

/** A target as a text, for messages. */
export function targetText(tgt: Value): string {
  return Array.isArray(tgt) ? tgt.map(pyStr).join(',') : pyStr(tgt);
}
