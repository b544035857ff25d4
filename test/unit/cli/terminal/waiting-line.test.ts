/** The line that says what a command waits for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWaitingLine } from '../../../../src/cli/terminal/waiting-line.ts';
import type { CommandIo } from '../../../../src/cli/terminal/io.ts';
import { publishAndWatch } from '../../../../src/runtime/client/watch-job.ts';
import { someOf } from '../../../../src/runtime/client/waits.ts';
import { FakeMaster, JumpingClock } from '../../runtime/client/fake-master.ts';

interface Screen {
  readonly io: CommandIo;
  /** What was written, a line of ours each. */
  lines(): string[];
}

function screen(given: { isTTY?: boolean; tellsCodes?: boolean; TERM?: string } = {}): Screen {
  let text = '';
  const sink = { write: (more: string) => (text += more), isTTY: given.isTTY ?? true, columns: 100 };
  const env = { TERM: given.TERM ?? 'xterm' };
  return {
    io: { stdin: process.stdin, stdout: sink, stderr: sink, env, tellsCodes: given.tellsCodes ?? false },
    lines: () => text.split('\r\u001b[K').filter((line) => line !== ''),
  };
}

const job = { tgt: '*', tgtType: 'glob', fun: 'test.sleep', arg: [], timeoutMs: 5000 };

/** Runs a job of which one minion is quick, one takes 2.5 s and one is silent. */
async function run({ io }: Screen): Promise<void> {
  const master = new FakeMaster({ quick: { value: 1 }, slow: { value: 1, afterMs: 2500 }, dead: {} });
  const { waits, io: guarded } = withWaitingLine(io, master.clock);
  const { news } = await publishAndWatch({ ...master.parts, waits }, job, {
    timeoutMs: 3000,
    gatherMs: 1000,
  });
  for await (const { id } of news) guarded.stdout.write(`${id}\n`);
}

test('waiting line - after one second it says who is waited for and who has answered, and it goes away', async () => {
  const shown = screen();
  await run(shown);
  assert.deepEqual(shown.lines(), [
    'quick\n',
    '1 s: waiting for slow, dead; 1 of 3 answered: quick',
    '2 s: waiting for slow, dead; 1 of 3 answered: quick',
    'slow\n',
    '3 s: waiting for dead; 2 of 3 answered: quick, slow',
    '4 s: waiting for dead; 2 of 3 answered: quick, slow',
    '5 s: waiting for dead; 2 of 3 answered: quick, slow',
    'dead\n',
  ]);
});

test('waiting line - nothing is shown where it would be in the way', async () => {
  for (const given of [{ isTTY: false }, { tellsCodes: true }, { TERM: 'dumb' }]) {
    const shown = screen(given);
    await run(shown);
    assert.equal(shown.lines().join(''), 'quick\nslow\ndead\n', JSON.stringify(given));
  }
});

test('waiting line - of several waits the newest is shown, and what ends within a second is not', async () => {
  const shown = screen();
  const clock = new JumpingClock();
  const { waits } = withWaitingLine(shown.io, clock);
  const outer = waits.begins({ text: () => 'outer' });
  await clock.sleep(500);
  waits.begins({ text: () => 'short' })();
  await clock.sleep(1000);
  const inner = waits.begins({ text: () => 'inner' });
  await clock.sleep(2000);
  inner();
  inner();
  await clock.sleep(1000);
  outer();
  await clock.sleep(5000);
  assert.deepEqual(shown.lines(), ['1 s: outer', '1 s: inner', '4 s: outer']);
});

test('waiting line - many names are some and a number', () => {
  const names = Array.from({ length: 12 }, (_, i) => `web${i}`);
  assert.equal(someOf(names, 12), 'web0, web1, web2, web3, web4 and 7 more');
  assert.equal(someOf(['a'], 1), 'a');
  assert.equal(someOf([], 0), '');
});
