/** What real Salt's returners sent (test/fixtures/returners/record.py), and running ours on the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { returnerRegistry } from '../../src/plugins/registry/returner/run.ts';
import { OpenStores } from '../../src/plugins/shared/returner/open-stores.ts';
import { callFunction } from '../../src/runtime/loader/registry.ts';
import { parseJson } from '../../src/formats/json/text.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import type { Clock } from '../../src/host/clock.ts';
import { fakeContext, type FakeContext } from './module-context.ts';

/** One configuration, and what was sent for each return. */
export interface SentVectors {
  readonly config: Dict;
  readonly sent: ReadonlyMap<string, Dict>;
}

const path = join(
  process.env['BRINE_ROOT'] ?? process.cwd(),
  'test',
  'fixtures',
  'returners',
  'messages.json',
);
const recorded = parseJson(readFileSync(path, 'utf8')) as Dict;

/** The returns that were handed over, by name. */
export const RECORDED_RETURNS = recorded.get('returns') as ReadonlyMap<string, Dict>;
export const RECORDED_GRAINS = recorded.get('grains') as Dict;

/** What one returner of Salt's sent. */
export function sentBySalt(returner: string): SentVectors[] {
  return (recorded.get(returner) as Value[]).map((one) => {
    assert.ok(isDict(one));
    return { config: one.get('config') as Dict, sent: one.get('sent') as ReadonlyMap<string, Dict> };
  });
}

/** A context with these options. */
export function returnerContext(opts: Dict, clock?: Clock): FakeContext {
  const all = new Map([...dict({ id: 'm1', hash_type: 'sha256' }), ...opts]);
  return fakeContext({ opts: all, grains: RECORDED_GRAINS, ...(clock === undefined ? {} : { clock }) });
}

/** Calls a function of a returner as a minion does. */
export async function callReturner(ctx: FakeContext, fun: string, ...args: Value[]): Promise<Value> {
  const stores = new OpenStores({ clock: ctx.clock });
  try {
    const registry = returnerRegistry({ opts: ctx.opts, grains: ctx.grains }, stores);
    const { spec, missing } = await registry.find(fun);
    assert.ok(spec, missing);
    return await callFunction(fun, spec, ctx, args, new Map());
  } finally {
    await stores.close();
  }
}
