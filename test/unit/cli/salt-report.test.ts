import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/runtime/client/outcome.ts';
import type { JobNews } from '../../../src/runtime/client/watch-state.ts';
import { Display } from '../../../src/cli/terminal/display.ts';
import { ExitCodes } from '../../../src/cli/program/exit-codes.ts';
import { JobReport, returnCode, unknownFunction, type ReportOptions } from '../../../src/cli/salt/report.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { dict, type Value } from '../../../src/python/values/value.ts';
import { recordedIo } from '../../support/command-io.ts';

const strictCodes = new ExitCodes('strict', 'plain');
const plain: ReportOptions = {
  verbose: false,
  showTimeout: true,
  summary: false,
  codes: new ExitCodes('salt', 'plain'),
};

function returned(id: string, value: Value, fields: Readonly<Record<string, Value>> = {}): JobNews {
  return { kind: 'return', id, load: dict({ id, return: value, retcode: 0, ...fields }) };
}

function silent(id: string, outcome: Outcome = { kind: 'no response' }): JobNews {
  return { kind: 'silent', id, outcome };
}

/** Reports news. @returns what was printed, and the exit code */
async function report(
  news: readonly JobNews[],
  options: Partial<ReportOptions> = {},
): Promise<{ code: number; stdout: string; stderr: string; report: JobReport }> {
  const io = recordedIo('');
  const it = new JobReport(new Display(new Map(), io, silentLogger, 'test.ping'), { ...plain, ...options });
  for (const item of news) await it.show(item, '20260101000000000001');
  return { code: it.finish(), ...io.written, report: it };
}

test('report - returns, and the code of the worst', async () => {
  const good = await report([returned('a', true), returned('b', 'x')]);
  assert.equal(good.stdout, 'a:\n    True\nb:\n    x\n');
  assert.equal(good.code, 0);
  const bad = await report([returned('a', true), returned('b', false, { retcode: 5 })]);
  assert.equal(bad.code, 1);
  assert.equal(bad.stderr, 'ERROR: Minions returned with non-zero exit code\n');
  const none = await report([]);
  assert.equal(none.code, 2);
  assert.equal(none.stderr, 'ERROR: No return received\n');
});

test('report - the silent are named unless hidden; names without a key always', async () => {
  const shown = await report([silent('a')]);
  assert.match(shown.stdout, /^a:\n {4}Minion did not return\. \[No response\]\n/);
  assert.equal(shown.code, 1);
  const hidden = await report([silent('a')], { showTimeout: false });
  assert.deepEqual([hidden.stdout, hidden.stderr, hidden.code], ['', '', 0]);
  const verbose = await report([silent('a')], { showTimeout: false, verbose: true });
  assert.deepEqual([verbose.stdout, verbose.code], ['', 0]);
  const unknown = await report([silent('a', { kind: 'not known' })], { showTimeout: false });
  assert.match(unknown.stdout, /^a:/);
  assert.deepEqual(unknown.report.unknownIds, ['a']);
});

test('report - the summary counts, and with -v names', async () => {
  const lost: Outcome = { kind: 'connection lost', since: 'then' };
  const news = [returned('a', 1), returned('b', 1, { retcode: 1 }), silent('c'), silent('d', lost)];
  const { stdout } = await report(news, { summary: true, verbose: true });
  assert.equal(
    stdout.slice(stdout.indexOf('\n\n\n') + 1),
    '\n\n-------------------------------------------\nSummary\n-------------------------------------------\n' +
      '# of minions targeted: 4\n# of minions returned: 2\n# of minions that did not return: 2\n' +
      '# of minions with errors: 1\nMinions not connected: d\nMinions not responding: c\nMinions with failures: b\n' +
      '-------------------------------------------\n',
  );
});

test('report - strict codes tell the reasons apart', async () => {
  const strict = { codes: strictCodes };
  assert.equal((await report([returned('a', 1)], strict)).code, 0);
  assert.equal((await report([returned('a', 1), silent('b')], strict)).code, 3);
  assert.equal((await report([silent('b')], { ...strict, showTimeout: false })).code, 3);
  assert.equal((await report([returned('a', 1, { retcode: 2 }), silent('b')], strict)).code, 1);
  assert.equal((await report([returned('a', 1, { success: false })], strict)).code, 1);
  assert.equal((await report([returned('a', 1, { success: false })])).code, 0);
});

test('report - progress is told in place of printing', async () => {
  const seen: number[] = [];
  const { stdout } = await report([returned('a', 1), returned('b', 1), silent('c')], {
    progress: (count) => seen.push(count),
  });
  assert.equal(stdout, '');
  assert.deepEqual(seen, [1, 2]);
});

test('report - the code of several functions is the highest, and unknown functions are noticed', () => {
  assert.equal(returnCode(dict({ retcode: dict({ a: 0, b: 3, c: 1 }) })), 3);
  assert.equal(returnCode(dict({ retcode: [0, 2] })), 2);
  assert.equal(returnCode(dict({})), 0);
  assert.equal(unknownFunction(dict({ return: "'no.such' is not available." })), 'no.such');
  assert.equal(unknownFunction(dict({ return: 'no' })), undefined);
});
