/** The external pillar csv: the row of a minion in a table (3006.16 salt/pillar/csvpillar.py). */
import { readFileSync, statSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseCsv } from '../../../formats/csv/read.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { checkSourceSize, namedSettings, type ExtPillar } from './ext-pillar.ts';

const NAMES = ['path', 'idkey', 'namespace', 'fieldnames', 'restkey', 'restval', 'dialect'];
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['excel', ','],
  ['unix', ','],
  ['excel-tab', '\t'],
]);

/**
 * The external pillar. Salt compat: more fields than names are told below the key `null`, as Python's None is there.
 */
export const csvPillar: ExtPillar = (settings, { minionId }) => {
  const given = namedSettings(settings, NAMES);
  const path = given.get('path');
  if (typeof path !== 'string') throw new CommandExecutionError('the path of the table is missing');
  const dialect = pyStr(given.get('dialect') ?? 'excel');
  const delimiter = DELIMITERS.get(dialect);
  if (delimiter === undefined)
    throw new CommandExecutionError(
      `there is no dialect ${dialect}; there are ${[...DELIMITERS.keys()].join(', ')}`,
    );
  const rows = parseCsv(textOf(path), delimiter).filter((row) => row.length > 0);
  const fieldnames = given.get('fieldnames') ?? null;
  const names: readonly Value[] = Array.isArray(fieldnames) ? fieldnames : (rows.shift() ?? []);
  const key = pyStr(given.get('idkey') ?? 'id');
  const at = names.findIndex((name) => pyStr(name) === key);
  if (rows.length > 0 && at < 0) throw new CommandExecutionError(`${path} has no column ${key}`);
  const row = rows.find((one) => one[at] === minionId);
  if (row === undefined) return new Map();
  const data: Dict = new Map(
    names.map((name, nth) => [name, row[nth] ?? given.get('restval') ?? null] as const),
  );
  if (row.length > names.length) data.set(given.get('restkey') ?? null, row.slice(names.length));
  const namespace = given.get('namespace') ?? null;
  return truthy(namespace) ? new Map<Value, Value>([[namespace, data]]) : data;
};

function textOf(path: string): string {
  try {
    checkSourceSize(path, statSync(path).size);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    throw new CommandExecutionError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
