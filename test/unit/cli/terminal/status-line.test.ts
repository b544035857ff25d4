/** The line of a run on a terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withStatusLine } from '../../../../src/cli/terminal/status-line.ts';
import type { CommandIo } from '../../../../src/cli/terminal/io.ts';

function terminal(isTTY: boolean): { readonly io: CommandIo; readonly text: () => string } {
  let text = '';
  const sink = { write: (more: string) => (text += more), isTTY, columns: 20 };
  const io: CommandIo = { stdin: process.stdin, stdout: sink, stderr: sink, env: {} };
  return { io, text: () => text };
}

test('status line - it is one line, and goes away before anything else is written', () => {
  const { io, text } = terminal(true);
  const { status, io: guarded } = withStatusLine(io);
  status.show('[1/2] a step with a very long name');
  guarded.stderr.write('[WARNING ] x\n');
  guarded.stdout.write('result\n');
  status.show('[2/2]');
  status.clear();
  assert.equal(
    text(),
    '\r\u001b[K[1/2] a step with a\r\u001b[K[WARNING ] x\nresult\n\r\u001b[K[2/2]\r\u001b[K',
  );
});

test('status line - there is none where standard error is no terminal', () => {
  const { io, text } = terminal(false);
  const { status, io: guarded } = withStatusLine(io);
  status.show('[1/2]');
  guarded.stdout.write('result\n');
  assert.equal(text(), 'result\n');
});
