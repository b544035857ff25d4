import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampled, single, type Figure } from '../../../bench/figure.ts';
import { returnNumber, returnText } from '../../../bench/load/returns-storm.ts';
import { readBenchOptions } from '../../../bench/options.ts';
import { ratioText, renderReport } from '../../../bench/report.ts';
import { countAnswers } from '../../../bench/scenarios/cli.ts';
import { median, percentile } from '../../../bench/statistics.ts';

const NAMES = ['memory', 'auth'];
const RATE = { scenario: 'return-storm', name: 'rate', unit: '/s', better: 'higher' } as const;
const TIME = { scenario: 'ping-all', name: 'time', unit: 's', better: 'lower' } as const;

test('bench - median and percentile of samples', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(median([])));
  assert.equal(percentile([5, 1, 4, 2, 3], 0.99), 5);
  assert.equal(percentile([5, 1, 4, 2, 3], 0.01), 1);
  assert.equal(
    percentile(
      Array.from({ length: 200 }, (_, n) => n + 1),
      0.99,
    ),
    198,
  );
});

test('bench - the p99 of a rate is its slowest round', () => {
  const values = [100, 300, 200];
  assert.deepEqual(sampled(RATE, values), { ...RATE, median: 200, p99: 100, samples: 3, values });
  assert.equal(sampled(TIME, [1, 3, 2]).p99, 3);
});

test('bench - a ratio above one means that ours is better, whichever way is good', () => {
  const of = (row: typeof RATE | typeof TIME, value: number): Figure => single(row, value);
  assert.equal(ratioText(of(RATE, 6500), of(RATE, 650)), '10 x');
  assert.equal(ratioText(of(TIME, 0.4), of(TIME, 3)), '7.5 x');
  assert.equal(ratioText(of(TIME, 0.4), undefined), '');
});

test('bench - both kinds stand side by side, with targets met and missed', () => {
  const text = renderReport([
    { label: 'Brine', figures: [sampled(RATE, [7000]), sampled(TIME, [0.5])] },
    { label: 'Salt 3006.16', figures: [sampled(RATE, [650])] },
  ]);
  assert.match(text, /^scenario\s+figure\s+Brine\s+p99\s+Salt 3006\.16\s+p99\s+better by\s+target$/m);
  assert.match(text, /^return-storm\s+rate\s+7000\/s\s+7000\s+650\/s\s+650\s+11 x\s+>= 15000 MISSED$/m);
  assert.match(text, /^ping-all\s+time\s+0\.500 s\s+0\.500\s+-\s+<= 0.160 MISSED$/m);
});

test('bench - the command line is checked', () => {
  assert.equal(readBenchOptions([], { BRINE_REAL_SALT: '/opt/salt' }, NAMES).real, '/opt/salt');
  assert.equal(readBenchOptions(['--real', '/x'], { BRINE_REAL_SALT: '/opt/salt' }, NAMES).real, '/x');
  assert.deepEqual(readBenchOptions(['--only', 'auth,memory', '--rounds', '3'], {}, NAMES).only, [
    'auth',
    'memory',
  ]);
  assert.throws(
    () => readBenchOptions(['--only', 'aut'], {}, NAMES),
    /no scenario aut; there are: memory, auth/,
  );
  assert.throws(() => readBenchOptions(['--rounds', '0'], {}, NAMES), /--rounds takes a whole number/);
  assert.throws(() => readBenchOptions(['--real-only'], {}, NAMES), /needs --real/);
});

test('bench - every return of a storm has a job, a minion and a content of its own', () => {
  const seen = new Set<string>();
  const texts = new Set<string>();
  for (let n = 0; n < 1000; n++) {
    const { minion, jid } = returnNumber(n, 30, 1_700_000_000_000);
    assert.match(jid, /^\d{20}$/);
    seen.add(`${minion} ${jid}`);
    texts.add(returnText(n));
    assert.ok(returnText(n).length >= 60 && returnText(n).length <= 710);
  }
  assert.equal(seen.size, 1000);
  assert.equal(texts.size, 1000);
});

test('bench - answers are counted from what salt prints', () => {
  const counts = countAnswers(
    'sim-0001:\n    True\nsim-0002:\n    Minion did not return.\nsim-0001:\n    True\n',
  );
  assert.deepEqual([...counts], [['sim-0001', 2]]);
});

test('bench - a target may be a share of the limit, or so many times what a real Salt does', () => {
  const auth = { scenario: 'auth', name: 'first, no token', unit: '/s', better: 'higher' } as const;
  const files = { scenario: 'file-managed', name: 'first', unit: 's', better: 'lower' } as const;
  const ours = [single(auth, 900), single(files, 1)];
  const theirs = [single(auth, 300), single(files, 11)];
  const columns = [
    { label: 'Brine', figures: ours },
    { label: 'Salt', figures: theirs },
  ];
  const text = renderReport(columns, [single(auth, 1000), single(files, 0.5)]);
  assert.match(text, /better by\s+limit\s+target$/m);
  assert.match(text, /^auth .* 3\.0 x\s+1000\/s\s+>= 85 % of limit met$/m);
  assert.match(text, /^file-managed .* 11 x\s+0\.500 s\s+>= 12 x Salt MISSED$/m);
  const alone = renderReport([{ label: 'Brine', figures: ours }]);
  assert.match(alone, /^auth .*>= 85 % of limit$/m);
  assert.match(alone, /^file-managed .*>= 12 x Salt$/m);
});
