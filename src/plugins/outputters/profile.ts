/** `profile`: names and durations of the states of a run, as a table (3006.16 salt/output/profile.py). */
import { formatFixed, toPyFloat } from '../../python/values/number-format.ts';
import { compareText, sortedBy } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { padLeft, textLength } from '../../python/values/text.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { asDict, iterate, unsuited, type Outputter, type OutputOptions } from './outputter.ts';
import { renderTable } from './table.ts';

/** The `profile` outputter. */
export const outputter: Outputter = { name: 'profile', render: renderProfile };

const LABELS = ['name', 'mod.fun', 'duration (ms)'];
const MAX_NAME = 60;

interface Row {
  readonly duration: number;
  readonly name: string;
  readonly fun: string;
}

function renderProfile(data: Value, options: OutputOptions): string {
  const rows = [...asDict(data).values()].flatMap((states) =>
    iterate(states).map((id) => profileRow(id, states)),
  );
  const width = Math.max('duration (ms)'.length, ...rows.map((row) => formatFixed(row.duration, 4).length));
  const cells = rows.map((row) => [padLeft(formatFixed(row.duration, 4), width), row.name, row.fun]);
  const sorted = sortedBy(cells, (a, b) => compareText(a.join('\0'), b.join('\0')) < 0);
  const table = sorted.map(([duration = '', name = '', fun = '']) => [name, fun, duration]);
  const content = new Map<Value, Value>([
    ['labels', LABELS],
    ['rows', table],
  ]);
  return renderTable(content, {
    ...options,
    table: { ...options.table, rowsKey: 'rows', labelsKey: 'labels' },
  });
}

function profileRow(id: Value, states: Value): Row {
  const info = stateInfo(id, states);
  const parts = pyStr(id).split('_|-');
  const duration = toPyFloat(info.get('duration') ?? (info.has('duration') ? null : -1));
  if (typeof duration !== 'number') return unsuited('a duration that is not a number');
  return {
    duration,
    name: shortName((info.has('name') ? info.get('name') : info.get('__id__')) ?? '<>'),
    fun: `${parts[0]}.${parts[parts.length - 1]}`,
  };
}

/**
 * A state's return. Returns that are lists (errors) have rows without durations.
 * Salt compat: Salt takes numbers in such a list for positions in it; here they are rows like any other.
 */
function stateInfo(id: Value, states: Value): Dict {
  if (!isDict(states)) return new Map();
  const state = states.get(id);
  return isDict(state) ? state : new Map([['name', pyStr(id)]]);
}

function shortName(name: Value): string {
  if (typeof name !== 'string') return unsuited('a name that is not text');
  return textLength(name) > MAX_NAME ? `${[...name].slice(0, MAX_NAME - 3).join('')}...` : name;
}
