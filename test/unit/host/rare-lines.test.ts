/** Lines that one cause would write again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, LOG_LEVELS } from '../../../src/host/log.ts';
import { rareLines, rareLog } from '../../../src/host/rare-lines.ts';

const MINUTE_MS = 60_000;

function timed() {
  const at = { ms: 0 };
  const lines: string[] = [];
  const write = ({ level, message }: { level: string; message: string }): void =>
    void lines.push(`${level} ${message}`);
  const log = createLogger('test', [{ level: LOG_LEVELS.debug, write }]);
  const loud = (): string[] => lines.filter((line) => !/^(debug|info) /.test(line));
  return { at, lines, loud, log, clock: { monotonicMs: () => at.ms } };
}

test('rare log - a warning or an error comes once a minute with its count, and at debug each time', () => {
  const { at, lines, loud, log, clock } = timed();
  const rare = rareLog(log, clock);
  for (let nth = 0; nth < 5; nth++) rare.error('the source is away');
  assert.deepEqual(loud(), ['error the source is away']);
  assert.equal(lines.filter((line) => line === 'debug the source is away').length, 4);
  rare.warning('the source is away');
  rare.error('another');
  assert.equal(loud().length, 3);
  at.ms += MINUTE_MS;
  rare.error('the source is away');
  assert.equal(loud().at(-1), 'error the source is away (6 times so far)');
  for (let nth = 0; nth < 3; nth++) rare.info('what happens each time');
  assert.equal(lines.filter((line) => line.startsWith('info')).length, 3);
});

test('rare log - one cause on behalf of many is one line; a child shares what was told', () => {
  const { loud, log, clock } = timed();
  const rare = rareLog(log, clock);
  for (const id of ['web1', 'web2', 'db1']) rare.about(id).error(`The pillar of ${id} was made without it`);
  rare.child('other').error('away');
  rare.error('away');
  assert.deepEqual(loud(), ['error The pillar of web1 was made without it', 'error away']);
});

test('rare lines - many kinds at once share one; those that have been silent for a minute make room', () => {
  const { at, clock } = timed();
  const lines: string[] = [];
  const tell = rareLines(clock, (text) => void lines.push(text));
  for (let nth = 0; nth < 80; nth++) tell(`kind ${nth}`, `text ${nth}`);
  assert.equal(lines.length, 65);
  at.ms += MINUTE_MS;
  tell('kind 100', 'text 100');
  tell('kind 101', 'text 101');
  assert.deepEqual(lines.slice(65), ['text 100', 'text 101']);
});
