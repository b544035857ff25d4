// Loaded before the tests with `--times`: keeps the processor time of each, its own and that of the programs that it
// started and that have ended, as a line of JSON in the folder BRINE_TEST_TIMES. What a process does before its first
// test, and what ends with it, have names of their own.
'use strict';
const { appendFileSync, readFileSync } = require('node:fs');
const { basename, join } = require('node:path');

const folder = process.env.BRINE_TEST_TIMES;
const isRunner = process.execArgv.includes('--test');
/** Milliseconds of a tick in which the system counts. */
const TICK_MS = 10;

/** Milliseconds of processor time: of this process, and of those that it has waited for. */
function spent() {
  // the second field is a name, which may have blanks
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  return [fields[11] + fields[12], fields[13] + fields[14]].map((ticks) => ticks * TICK_MS);
}

function keepTimes() {
  const { afterEach, beforeEach } = require('node:test');
  const file = basename(process.argv[1] ?? '', '.test.mjs');
  const rows = [];
  let before = [0, 0];
  let beganMs = performance.timeOrigin;
  const note = (name) => {
    const now = spent();
    const nowMs = performance.timeOrigin + performance.now();
    rows.push({ file, name, own: now[0] - before[0], programs: now[1] - before[1], wall: nowMs - beganMs });
    [before, beganMs] = [now, nowMs];
  };
  beforeEach(() => rows.length > 0 || note('(start)'));
  afterEach(({ name }) => note(name));
  process.on('exit', () => {
    note('(end)');
    appendFileSync(join(folder, `${file}.json`), JSON.stringify(rows));
  });
}

if (folder !== undefined && !isRunner) keepTimes();
