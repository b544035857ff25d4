/**
 * What each subject of plug-ins brings to the machine of `test/fixtures/machine`: `subjects/NAME.yaml`, one file for
 * each folder of `src/plugins` that has something to show there. The files are found; README.md in `test/fixtures` says
 * what their parts are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';

const FOLDER = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/machine/subjects');

/** The parts that such a file may have. */
const PARTS = [
  'minion',
  'functions',
  'states',
  'twice',
  'parameters',
  'pairs',
  'files',
  'programs',
  'fakes',
  'keeping',
  'keeping files',
  'reasons',
] as const;

/** A part of such a file. */
export type SubjectPart = (typeof PARTS)[number];

/** What one subject has of a part. */
export interface SubjectValue {
  readonly subject: string;
  readonly value: Value;
}

/** The names of all subjects that have a file, in their order. */
export function machineSubjects(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

const subjects = new Map<string, Dict>();

/** @throws Error for a part whose name has a slip in it, which would be read by nobody */
function readSubject(subject: string): Dict {
  const known = subjects.get(subject);
  if (known !== undefined) return known;
  const value = loadYaml(readFileSync(join(FOLDER, `${subject}.yaml`), 'utf8'));
  if (!isDict(value)) throw new Error(`test/fixtures/machine/subjects/${subject}.yaml is no mapping`);
  const wrong = [...value.keys()].map(pyStr).filter((name) => !PARTS.some((part) => part === name));
  if (wrong.length > 0)
    throw new Error(
      `test/fixtures/machine/subjects/${subject}.yaml has ${wrong.join(', ')}; there are ${PARTS.join(', ')}`,
    );
  subjects.set(subject, value);
  return value;
}

/** What the subjects have of one part. */
export function valuesOf(part: SubjectPart): SubjectValue[] {
  return machineSubjects().flatMap((subject) => {
    const value = readSubject(subject).get(part) ?? null;
    return value === null ? [] : [{ subject, value }];
  });
}

/** The entries of a part that is a mapping, of all subjects. */
export function entriesOf(part: SubjectPart): [name: string, value: Value][] {
  return valuesOf(part).flatMap(({ subject, value }) => {
    if (!isDict(value)) throw new Error(`${part} of subjects/${subject}.yaml is no mapping`);
    return [...value].map(([name, item]): [string, Value] => [pyStr(name), item]);
  });
}

/** The lines of a part that is a text, of all subjects, without comments. */
export function linesOf(part: 'functions' | 'states'): string[] {
  return valuesOf(part)
    .flatMap(({ value }) => pyStr(value).split('\n'))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
