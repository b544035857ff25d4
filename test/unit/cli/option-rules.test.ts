/** Options that cannot hold together, of every program: each pair of the tables is typed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { refuseContradictions, warnOfIdle } from '../../../src/cli/command-line/option-rules.ts';
import { allOptions, optionName, scan, type CliProgram } from '../../../src/cli/command-line/optparse.ts';
import { allPrograms } from '../../../src/cli/options/programs.ts';
import { UsageError } from '../../../src/errors/errors.ts';
import { loadYaml } from '../../../src/formats/yaml/load.ts';
import { pyStr } from '../../../src/python/values/repr.ts';
import { isDict, type Value } from '../../../src/python/values/value.ts';

const samples = loadYaml(
  readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'test/compare/option-pairs.yaml'), 'utf8'),
);

const at = (table: Value | undefined, key: string): Value | undefined =>
  table !== undefined && isDict(table) ? table.get(key) : undefined;

/** How an option is typed. */
function typed(program: CliProgram, dest: string): string[] {
  const option = allOptions(program).find((one) => one.dest === dest);
  assert.ok(option, `a rule of ${program.name} names ${dest}, which it does not have`);
  const words = at(at(at(at(samples, program.name), 'options'), dest), 'words');
  if (Array.isArray(words)) return words.map(pyStr);
  return option.action === 'store' ? [option.flags[0], 'x'] : [option.flags[0]];
}

/** What is said of a command line: the refusal, and the warnings. */
function said(program: CliProgram, argv: readonly string[]): { refused: string; warned: string } {
  const result = scan(program, argv);
  assert.equal(result.kind, 'options');
  if (result.kind !== 'options') return { refused: '', warned: '' };
  const warned: string[] = [];
  try {
    refuseContradictions(result.parsed);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { refused: error.message, warned: '' };
  }
  warnOfIdle(result.parsed, (line) => warned.push(line));
  return { refused: '', warned: warned.join('\n') };
}

const named = (program: CliProgram, dest: string): string =>
  allOptions(program)
    .filter((one) => one.dest === dest)
    .map(optionName)
    .join();

for (const program of allPrograms.filter(({ rules }) => rules !== undefined)) {
  test(`option rules - ${program.name} refuses both of each pair that cannot hold, and names them`, () => {
    for (const { these, others } of program.rules?.contradictions ?? [])
      for (const one of these)
        for (const other of others.filter((dest) => dest !== one)) {
          const { refused } = said(program, [...typed(program, one), ...typed(program, other)]);
          assert.match(refused, /cannot be combined/, `${program.name}: ${one} and ${other}`);
        }
  });

  test(`option rules - ${program.name} says which option has no effect`, () => {
    for (const { option } of program.rules?.dependences ?? []) {
      const { warned } = said(program, typed(program, option));
      assert.ok(warned.includes(`${named(program, option)} has no effect without`), option);
    }
    for (const { option, beside, values } of program.rules?.idle ?? []) {
      const others = values?.map((value) => [named(program, beside), value]) ?? [typed(program, beside)];
      for (const other of others) {
        const { warned } = said(program, [...typed(program, option), ...other]);
        assert.ok(warned.includes(`${named(program, option)} has no effect with`), other.join(' '));
      }
    }
  });
}

test('option rules - every option of a program is typed in pairs, or has a reason why not', () => {
  for (const program of allPrograms.filter(({ rules }) => rules !== undefined)) {
    const options = at(at(samples, program.name), 'options');
    assert.ok(options, `test/compare/option-pairs.yaml does not name ${program.name}`);
    for (const option of allOptions(program).filter(({ action }) => ['store', 'append'].includes(action)))
      assert.ok(at(options, option.dest), `${program.name}: option-pairs.yaml has no ${option.dest}`);
  }
});
