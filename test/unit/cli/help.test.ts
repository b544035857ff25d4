import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closingSentence, formatHelp, shownOptions } from '../../../src/cli/command-line/help.ts';
import { renderManPage } from '../../../src/cli/documents/man.ts';
import { allPrograms } from '../../../src/cli/options/programs.ts';
import { saltProgram } from '../../../src/cli/options/salt.ts';
import { allOptions, type CliOption, type CliProgram } from '../../../src/cli/command-line/optparse.ts';
import { terminalColumns, wantsColor } from '../../../src/cli/terminal/terminal.ts';

interface Recorded {
  program: CliProgram;
  helps: { columns: number; text: string }[];
}
const path = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/cli/optparse-help.json');
const recorded = JSON.parse(readFileSync(path, 'utf8')) as Recorded;

function withDefaults(program: CliProgram): CliProgram {
  const fill = (options: readonly CliOption[]): CliOption[] =>
    options.map((option) => ({
      ...option,
      default: (option.default as unknown) === undefined ? null : option.default,
    }));
  const groups = program.groups.map((group) => ({ ...group, options: fill(group.options) }));
  return { ...program, options: fill(program.options), groups };
}

test('help - is laid out as optparse lays it out, at every width', () => {
  for (const { columns, text } of recorded.helps) {
    assert.equal(formatHelp(withDefaults(recorded.program), columns), text, `${columns} columns`);
  }
});

test('help - of every program names every option and stays within the width', () => {
  for (const program of allPrograms) {
    for (const columns of [50, 80, 120]) {
      const text = formatHelp(program, columns);
      assert.ok(text.startsWith(`Usage: ${program.name} `));
      assert.ok(text.replaceAll(/\s+/g, ' ').endsWith(`${closingSentence(program.name)} `));
      // a spelling is never broken
      const explained = text
        .split('\n')
        .slice(1)
        .filter((line) => !/^ +--?[a-zA-Z]/.test(line));
      assert.deepEqual(
        explained.filter((line) => line.length > columns - 2 && line.trim().includes(' ')),
        [],
        program.name,
      );
      for (const option of shownOptions(allOptions(program))) assert.ok(text.includes(option.flags[0]));
    }
    assert.doesNotMatch(formatHelp(program, 80), /%default/);
  }
});

test('help - shows the default that is in force', () => {
  assert.match(formatHelp(saltProgram, 200, { SALT_CONFIG_DIR: '/srv/etc' }), /Default: '\/srv\/etc'/);
});

test('man pages - hold every option, and nothing that roff would take for a request', () => {
  for (const program of allPrograms) {
    const page = renderManPage(program, { date: 'May 2026', version: '0.1.0', programs: allPrograms });
    const requests = new Set(page.split('\n').flatMap((line) => /^\.(\w+|\\")/.exec(line)?.[1] ?? []));
    assert.deepEqual(
      [...requests].filter((name) => !['TH', 'SH', 'SS', 'TP', 'PP', 'B', 'BR'].includes(name)),
      [],
    );
    for (const option of shownOptions(allOptions(program))) {
      assert.ok(page.includes(`\\fB${option.flags[0].replaceAll('-', '\\-')}\\fR`), option.flags[0]);
    }
    assert.doesNotMatch(page, /^'/m);
  }
});

test('terminal - the width is what COLUMNS, the terminal or custom say', () => {
  assert.equal(terminalColumns({ isTTY: true, columns: 100 }, {}), 100);
  assert.equal(terminalColumns({ isTTY: true, columns: 100 }, { COLUMNS: '60' }), 60);
  assert.equal(terminalColumns({ isTTY: false, columns: 100 }, {}), 80);
  assert.equal(terminalColumns({ isTTY: true, columns: 0 }, { COLUMNS: 'wide' }), 80);
});

test('terminal - colours follow the options, NO_COLOR, the configuration and the terminal, in this order', () => {
  const tty = { isTTY: true };
  const pipe = { isTTY: false };
  const none = { force: false, none: false };
  assert.equal(wantsColor({ force: true, none: true }, pipe, { NO_COLOR: '1' }), true);
  assert.equal(wantsColor({ force: false, none: true, configured: true }, tty, {}), false);
  assert.equal(wantsColor({ ...none, configured: true }, tty, { NO_COLOR: '1' }), false);
  assert.equal(wantsColor({ ...none, configured: true }, pipe, { NO_COLOR: '' }), true);
  assert.equal(wantsColor({ ...none, configured: false }, tty, {}), false);
  assert.equal(wantsColor(none, tty, {}), true);
  assert.equal(wantsColor(none, pipe, {}), false);
  assert.equal(wantsColor(none, tty, { TERM: 'dumb' }), false);
});
