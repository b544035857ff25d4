/** What disks tell about themselves: `hdparm` and `smartctl`. Follows 3006.16 salt/modules/disk.py. */
import { CommandExecutionError, CommandNotFoundError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { runAll } from '../../shared/program.ts';

const ALL_OPTIONS = 'aAbBcCdgHiJkMmNnQrRuW';

function assertHdparm(): void {
  if (findProgram('hdparm') === undefined)
    throw new CommandNotFoundError("The 'hdparm' binary was not found in $PATH.");
}

/** One value of `hdparm`: `1234 (text)`, or parts between slashes and commas, `a=b` among them. */
function parseValue(text: string): Value | undefined {
  const counted = /^([0-9]+) \((.*)\)/.exec(text);
  if (counted) {
    const [first = '', second = ''] = text.split(' ');
    return [Number(first), second.replace(/^[()]+|[()]+$/g, '')];
  }
  const values: Value[] = [];
  const named: Dict = new Map();
  for (const part of text
    .trim()
    .split(/[/,]/)
    .map((word) => word.trim())) {
    const at = part.indexOf('=');
    if (/^[-+]?\d+$/.test(part)) values.push(Number(part));
    else if (at >= 0) {
      const value = part.slice(at + 1).trim();
      if (value !== '') named.set(part.slice(0, at).trim(), value);
    } else if (part !== '') values.push(part);
  }
  if (named.size > 0) values.push(named);
  return values.length > 1 ? values : values[0];
}

/** Letters of options of hdparm; all that read where none are named. */
export const hdparmOptions = (value: Value): string =>
  value === null ? ALL_OPTIONS : Array.isArray(value) ? value.map(pyStr).join('') : pyStr(value);

/** One disk or a list of them. */
export const disksOf = (value: Value): string[] => (Array.isArray(value) ? value : [value]).map(pyStr);

/** `disk.hdparms` */
export async function hdparms(ctx: ModuleContext, disks: readonly string[], options: string): Promise<Dict> {
  assertHdparm();
  const out: Dict = new Map();
  for (const name of disks) {
    const disk = name.startsWith('/dev') ? name : `/dev/${name}`;
    const { retcode, stdout, stderr } = await runAll(ctx, ['hdparm', `-${options}`, disk]);
    if (retcode !== 0) ctx.log.warning(`hdparm -${options} ${disk}: ${stderr}`);
    const data: Dict = new Map();
    for (const raw of splitLines(stdout)) {
      const line = raw.trim();
      const match = line === `${disk}:` ? null : (/^([^:]*):(.*)$/.exec(line) ?? /^([^=]*)=(.*)$/.exec(line));
      if (match === null) continue;
      const key = (match[1] ?? '').replace(/ is$/, '').trim().toLowerCase().replaceAll(' ', '_');
      const value = parseValue((match[2] ?? '').trim());
      if (value !== undefined) data.set(key, value);
    }
    out.set(disk, data);
  }
  return out;
}

/** `disk.hpa` */
export async function hostProtectedArea(
  ctx: ModuleContext,
  disks: readonly string[],
  size: string | undefined,
): Promise<Dict | null> {
  const areas = new Map<
    string,
    { readonly total: number; readonly visible: number; readonly isHidden: boolean }
  >();
  for (const [disk, data] of await hdparms(ctx, disks, 'N')) {
    const [first] = isDict(data) ? data.values() : [];
    const [visible, total, status] = Array.isArray(first) ? first : [];
    if (total === undefined || visible === undefined)
      throw new CommandExecutionError(`hdparm does not tell the size of ${pyStr(disk)}`);
    const [all, seen] = [toNumber(total) ?? 0, toNumber(visible) ?? 0];
    const isHidden = all !== seen && !pyStr(status ?? '').includes('disabled');
    areas.set(pyStr(disk), { total: all, visible: seen, isHidden });
  }
  if (size === undefined) {
    return new Map(
      [...areas].map(([disk, { total, visible, isHidden }]) => [
        disk,
        isHidden ? dict({ total, visible, hidden: total - visible }) : dict({ total }),
      ]),
    );
  }
  const text = size;
  for (const [disk, { total }] of areas) {
    const share = /^(\d+)%$/.exec(text)?.[1];
    const left = share === undefined ? total - Number(text) : ((100 - Number(share)) * total) / 100;
    if (!Number.isFinite(left)) throw new CommandExecutionError(`Invalid size: ${text}`);
    const sectors = Math.trunc(left <= 0 ? total : left);
    const argv = ['hdparm', '--yes-i-know-what-i-am-doing', `-Np${sectors}`, disk];
    const { retcode, stderr } = await runAll(ctx, argv);
    if (retcode !== 0) throw new CommandExecutionError(`${argv.join(' ')}: ${stderr}`);
  }
  return null;
}

function cell(text: string): Value {
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  const words = text.split(' ');
  return words.every((word) => /^[-+]?\d+$/.test(word)) ? words.map(Number) : text;
}

/** `disk.smart_attributes`. @throws CommandExecutionError with what the program says */
export async function smartAttributes(
  ctx: ModuleContext,
  dev: string,
  attributes: Value[] | undefined,
  values: Value[] | undefined,
): Promise<Dict> {
  const device = dev.startsWith('/dev/') ? dev : `/dev/${dev}`;
  const argv = ['smartctl', '--attributes', device];
  const { retcode, stdout, stderr } = await runAll(ctx, argv, { output_loglevel: 'quiet' });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  const lines = splitLines(stdout);
  const head = lines.findIndex((line) => line.startsWith('ID#'));
  const fields = (lines[head] ?? '').trim().toLowerCase().split(/\s+/).slice(1);
  const out: Dict = new Map();
  for (const line of lines.slice(head + 1)) {
    if (!/^\s*\d/.test(line)) break;
    const words = line.trim().split(/\s+/);
    const id = Number(words[0]);
    if (attributes !== undefined && !attributes.includes(id)) continue;
    const cells = words.slice(1, fields.length).concat(words.slice(fields.length).join(' '));
    out.set(
      id,
      new Map<Value, Value>(
        fields
          .map((field, i): [string, Value] => [field, cell(cells[i] ?? '')])
          .filter(([field]) => values === undefined || values.includes(field)),
      ),
    );
  }
  return out;
}
