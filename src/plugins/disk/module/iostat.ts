/** Averages out of `iostat`. Follows 3006.16 salt/modules/disk.py `iostat`. */
import { CommandNotFoundError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

import { splitLines } from '../../../python/values/text.ts';
import { float, type Dict, type Value } from '../../../python/values/value.ts';
import { runStdout } from '../../shared/program.ts';

/** Rounds to two digits, halves to the even one, as Python's decimals do. */
function average(values: readonly number[]): Value {
  const mean = (values.reduce((sum, value) => sum + value, 0) / values.length) * 100;
  const floor = Math.floor(mean);
  const rest = mean - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return float((floor + (isUp ? 1 : 0)) / 100);
}

function averages(header: readonly string[], rows: readonly (readonly number[])[]): Dict {
  return new Map(header.map((name, i) => [name, average(rows.map((row) => row[i] ?? 0))]));
}

/**
 * Runs `iostat` and averages its rounds.
 * @throws CommandNotFoundError without the program
 */
export async function iostat(
  ctx: ModuleContext,
  interval: string,
  count: string,
  disks: readonly string[] | undefined,
): Promise<Dict> {
  if (findProgram('iostat') === undefined)
    throw new CommandNotFoundError("The 'iostat' binary was not found in $PATH.");
  const argv = ['iostat', disks === undefined ? '-x' : '-xd', interval, count, ...(disks ?? [])];
  const lines = splitLines(await runStdout(ctx, argv, { output_loglevel: 'quiet' }));
  const system = { header: [] as string[], rows: [] as number[][] };
  const devices = { header: [] as string[], rows: new Map<string, number[][]>() };
  for (let i = 0; i < lines.length; i++) {
    const words = (lines[i] ?? '').trim().split(/\s+/);
    if (words[0] === 'avg-cpu:') {
      system.header = words.slice(1);
      system.rows.push((lines[++i] ?? '').trim().split(/\s+/).map(Number));
    } else if (words[0] === 'Device:' || words[0] === 'Device') {
      devices.header = words.slice(1);
      while (/^\w/.test(lines[i + 1] ?? '')) {
        const [disk = '', ...values] = (lines[++i] ?? '').trim().split(/\s+/);
        devices.rows.set(disk, [...(devices.rows.get(disk) ?? []), values.map(Number)]);
      }
    }
  }
  const out: Dict = new Map();
  if (system.rows.length > 0) out.set('sys', averages(system.header, system.rows));
  for (const [disk, rows] of devices.rows) out.set(disk, averages(devices.header, rows));
  return out;
}
