/** Calls recorded from a real Salt 3006.16 that need a program of the host, made again on ours. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { directCaller } from '../compare/own-modules.ts';
import {
  callOf,
  callWords,
  comparable,
  setUpGroup,
  valueFromJson,
  type CallAnswer,
  type CallGroup,
} from './module-calls.ts';

interface Recorded extends CallGroup {
  readonly answers: readonly ({ readonly value: unknown } | { readonly error: string })[];
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

/**
 * Makes the calls of a table in `test/fixtures/modules/calls`, and compares their answers.
 * @param before what is done before each group
 */
export async function replayTable(t: TestContext, table: string, before?: () => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-replay-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(ROOT, 'test/fixtures/modules/calls', `${table}.json`);
  for (const group of JSON.parse(readFileSync(path, 'utf8')) as Recorded[]) {
    before?.();
    const places = { dir: join(folder, 'g'), cache: join(folder, 'm/cache') };
    setUpGroup(group, places.dir);
    const call = await directCaller(join(folder, 'm'), { test: false, minion: group.minion ?? [] });
    for (const [i, given] of group.calls.entries()) {
      const one = callOf(given);
      const recorded = group.answers[i];
      assert.ok(recorded);
      const gave = await call(callWords(one, places));
      if (one.differs !== undefined) continue;
      const wanted: CallAnswer = 'error' in recorded ? recorded : { value: valueFromJson(recorded.value) };
      assert.equal(comparable(gave, one, places), comparable(wanted, one, places), one.call);
    }
  }
}
