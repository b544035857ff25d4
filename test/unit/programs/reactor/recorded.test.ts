/** What a real Salt's reactor sends, calls and logs, replayed (`test/compare/record-reactor.ts` recorded it). */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { masterMinion } from '../../../../src/programs/runner/master-minion.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import { folder as temporary } from '../../../support/attacker.ts';
import { REACTOR_DIFFERENCES } from '../../../support/reactor-differences.ts';
import {
  reactorCases,
  REACTOR_FIXTURE,
  withFolder,
  type RecordedReactorCase,
  type ReactorDeed,
} from '../../../support/reactor-cases.ts';
import { reactorDeeds } from '../../../support/reactor-run.ts';

/** What Salt sends along with a publication and no master reads. */
const CHUNK_KEYS = new Set(['state', 'name', 'order', '__id__', '__sls__', 'require', 'expr_form']);

/** A recorded deed without what ours does not have by design. */
function comparable([kind, what]: ReactorDeed): ReactorDeed {
  if (kind === 'local') {
    const { tgt, tgt_type, fun, arg, ret, kwargs = {} } = what as Record<string, unknown>;
    const fields = Object.entries(kwargs as object).filter(([key]) => !CHUNK_KEYS.has(key));
    return [kind, { tgt, tgt_type, fun, arg, ret, kwargs: Object.fromEntries(fields) }];
  }
  // the words of an exception that Salt logs with its trace differ; that it fails, and what is named, does not
  if (kind === 'log') {
    const [level, text] = what as readonly [string, string];
    return [kind, [level, headOf(text)]];
  }
  return [kind, what];
}

function headOf(text: string): string {
  return text
    .split('\n')[0]!
    .replace(/ \| .*/, '')
    .replace(/^(Failed to render ".*?"|Reactor '.*?' failed to execute \w+ '[^']*').*/, '$1')
    .replace(/OrderedDict\(\[\(('\w+'), ('[^']*')\)\]\)/, '{$1: $2}');
}

/** Ours says when it reads the rules that a file of one is not there; Salt only when the event comes. */
function isSaidEarlier([kind, what]: ReactorDeed): boolean {
  return (
    kind === 'log' && /^The option reactor names .* there is no such file/.test((what as string[])[1] ?? '')
  );
}

/** The log apart: ours reads all reactions of an event before it runs the first. */
function inTwo(deeds: readonly ReactorDeed[]): readonly (readonly ReactorDeed[])[] {
  return [deeds.filter(([kind]) => kind !== 'log'), deeds.filter(([kind]) => kind === 'log')];
}

function lines(deeds: readonly ReactorDeed[]): string {
  return deeds.map((deed) => JSON.stringify(deed)).join('\n        ');
}

test('reactor - sends, calls and logs what a real Salt does', async (t) => {
  const folder = temporary(t);
  for (const name of ['srv', 'run']) mkdirSync(join(folder, name));
  const recorded = JSON.parse(readFileSync(REACTOR_FIXTURE, 'utf8')) as RecordedReactorCase[];
  const context = await masterMinion({
    opts: new Map<Value, Value>([
      ['id', 'the_id'],
      ['__role', 'master'],
      ['file_client', 'local'],
      ['cachedir', join(folder, 'cache')],
      ['file_roots', new Map([['base', [join(folder, 'srv')]]])],
      ['nodegroups', new Map([['pair', 'L@a,b']])],
      ['renderer', 'jinja|yaml'],
    ]),
    ...{ id: 'the_id', jid: '', fun: 'reactor', signal: new AbortController().signal },
    ...{ clock: systemClock, random: systemRandom, log: silentLogger },
  });
  const cases = reactorCases();
  assert.deepEqual(
    recorded.map(({ name }) => name),
    cases.map(({ name }) => name),
    'record them anew',
  );
  const unexplained: string[] = [];
  const explained = new Set<string>();
  for (const [at, one] of cases.entries()) {
    const placed = withFolder(withFolder(one, 'DIR', folder), '"ID"', '"the_id"');
    const did = withFolder(await reactorDeeds(folder, placed, context), folder, 'DIR');
    const deeds = did.filter((deed) => !isSaidEarlier(deed)).map(comparable);
    const salts = (recorded[at]?.did ?? []).filter(([kind]) => kind !== 'event').map(comparable);
    if (isDeepStrictEqual(inTwo(deeds), inTwo(salts))) continue;
    if (REACTOR_DIFFERENCES.has(one.name)) explained.add(one.name);
    else unexplained.push(`${one.name}\n  ours: ${lines(deeds)}\n  Salt: ${lines(salts)}`);
  }
  if (unexplained.length > 0) assert.fail(unexplained.join('\n'));
  assert.deepEqual(
    [...REACTOR_DIFFERENCES.keys()].filter((name) => !explained.has(name)),
    [],
    'no difference any more',
  );
});
