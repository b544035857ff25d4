/**
 * Functions of `pkg` on a host whose programs say again what they said to the same words, against what a real Salt
 * answered there.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, type DictInit } from '../../src/python/values/value.ts';
import { answerOf } from './call-answers.ts';
import {
  callOf,
  callWords,
  comparable,
  valueFromJson,
  type CallAnswer,
  type CallGroup,
} from './module-calls.ts';
import { fakeContext, type FakeContext } from './module-context.ts';
import { writeReplay, type RecordedRun } from './program-replay.ts';

/** A minion, and the folder that comes first in its `PATH`. */
export interface PackageHost {
  readonly folder: string;
  readonly ctx: FakeContext;
}

/** Makes one; it is gone with the test. */
export function packageHost(t: TestContext, grains: DictInit): PackageHost {
  const folder = mkdtempSync(join(tmpdir(), 'brine-packages-'));
  const path = process.env['PATH'];
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const opts = dict({ id: 'x', cachedir: folder, grains });
  return {
    folder,
    ctx: fakeContext({ opts, grains: dict(grains), clock: systemClock, random: systemRandom }),
  };
}

/** What is recorded, and what it runs on. */
export interface RecordedPackages {
  /** The table of calls, and of Salt's answers. */
  readonly table: string;
  readonly programs: readonly string[];
  /** What the programs said. */
  readonly recorded: string;
  readonly host: (t: TestContext) => PackageHost;
  /** Calls that look at files of the system, which programs do not tell. */
  readonly skips?: RegExp;
}

function fixture<T>(name: string): T {
  const folder = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules');
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
}

type Answer = { readonly value: unknown } | { readonly error: string };
type AnsweredGroup = CallGroup & { readonly answers: readonly Answer[] };

/** A test for each group of calls. */
export function testRecordedPackages(name: string, given: RecordedPackages): void {
  for (const { group, runs } of fixture<{ group: string; runs: RecordedRun[] }[]>(given.recorded))
    test(`pkg with ${name} - ${group}: as Salt tells it`, async (t) => {
      const { folder, ctx } = given.host(t);
      writeReplay(folder, given.programs, runs);
      const places = { dir: folder, cache: join(folder, 'cache') };
      const groups = fixture<AnsweredGroup[]>(`calls/${given.table}.json`);
      const answered = groups.find((one) => one.group === group);
      assert.ok(answered);
      for (const [i, line] of answered.calls.entries()) {
        const call = callOf(line);
        const [fun = '', ...words] = callWords(call, places);
        if (given.skips?.test(call.call) === true) continue;
        const answer: Answer = answered.answers[i] ?? { value: null };
        const wanted: CallAnswer = 'error' in answer ? answer : { value: valueFromJson(answer.value) };
        const made = comparable(await answerOf(fun, ctx, words), call, places);
        if (call.differs === undefined) assert.equal(made, comparable(wanted, call, places), call.call);
        else assert.notEqual(made, comparable(wanted, call, places), call.call);
      }
    });
}
