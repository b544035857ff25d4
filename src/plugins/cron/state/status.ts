/** What test mode finds in a crontab (3006.16 salt/states/cron.py `_check_cron`). */
import { isMeant, isSameVariable, needsChange, TIME_FIELDS } from '../module/table.ts';
import { isNamedByCommand, unmanagedTwin } from '../module/taken-over.ts';
import { optionalText } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Whether a line is there, and as it is wanted. */
export type CronStatus = 'absent' | 'present' | 'update';

const dictsIn = (value: Value | undefined): Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);

async function table(ctx: StateContext, user: Value): Promise<Dict> {
  return (await ctx.functions.call('cron.list_tab', [user])) as Dict;
}

function hasUnmanagedTwin(found: Dict, wanted: Dict): boolean {
  const spec = wanted.get('special') ?? null;
  const time = (field: string): string | null =>
    optionalText(wanted.get(field) ?? null)?.toLowerCase() ?? null;
  const [minute, hour, daymonth] = [time('minute'), time('hour'), time('daymonth')];
  const times = { minute, hour, daymonth, month: time('month'), dayweek: time('dayweek') };
  const line = {
    cmd: pyStr(wanted.get('cmd') ?? ''),
    times: spec === null ? times : undefined,
    spec: spec === null ? null : pyStr(spec),
  };
  const pre = found.get('pre');
  return Array.isArray(pre) && pre.some((text) => unmanagedTwin(pyStr(text), line) !== undefined);
}

/** Whether a state of this run is for the job that has this command and no identifier. */
function isWantedWithout(ctx: StateContext, user: Value, cmd: string): boolean {
  return ctx.state.lowstate.some((low) => {
    if (low.get('state') !== 'cron' || low.get('fun') !== 'present') return false;
    const identifier = low.get('identifier') ?? false;
    const isSame = strip(pyStr(low.get('name') ?? null)) === cmd && (low.get('user') ?? 'root') === user;
    return isSame && (identifier === false || identifier === cmd);
  });
}

/**
 * Whether a job was managed without an identifier before it got the wanted one: nothing has that one, a job has its
 * command for a name, and no other state of the run is for that.
 */
export async function hadNoIdentifier(ctx: StateContext, user: Value, wanted: Dict): Promise<boolean> {
  const cmd = pyStr(wanted.get('cmd') ?? '');
  const identifier = optionalText(wanted.get('identifier') ?? null) ?? '';
  if (identifier === '' || identifier === cmd || isWantedWithout(ctx, user, cmd)) return false;
  const found = await table(ctx, user);
  const jobs = [...dictsIn(found.get('crons')), ...dictsIn(found.get('special'))].map((line) => ({
    cmd: pyStr(line.get('cmd') ?? null),
    identifier: optionalText(line.get('identifier') ?? null) ?? null,
  }));
  const isKnown = jobs.some((job) => job.identifier === identifier || (job.cmd === cmd && !job.identifier));
  return !isKnown && jobs.some((job) => isNamedByCommand(job, cmd));
}

/**
 * Looks for a job.
 * @param wanted `cmd`, `identifier` and, where they matter, `comment`, `commented`, times or `special`; what is null
 *   may be anything
 * @param takesOver whether a job that is not known by the identifier yet counts, as `cron.present` takes it over
 */
export async function cronStatus(
  ctx: StateContext,
  user: Value,
  wanted: Dict,
  takesOver = false,
): Promise<CronStatus> {
  const special = wanted.get('special') ?? null;
  const text = (key: string): string | null => optionalText(wanted.get(key) ?? null) ?? null;
  const [cmd, identifier] = [text('cmd') ?? '', text('identifier')];
  const commented = wanted.get('commented') ?? null;
  const found = await table(ctx, user);
  const isDoubled = takesOver && hasUnmanagedTwin(found, wanted);
  const lines = dictsIn(found.get(special === null ? 'crons' : 'special'));
  for (const line of lines) {
    const field = (key: string): Value => line.get(key) ?? null;
    const own = optionalText(field('identifier')) ?? null;
    const job = {
      cmd: pyStr(field('cmd')),
      identifier: own,
      comment: null,
      commented: false,
      times: undefined,
      spec: undefined,
    };
    if (!isMeant(job, cmd, identifier)) continue;
    const times: [Value, Value][] =
      special === null
        ? TIME_FIELDS.map((key) => [field(key), text(key)?.toLowerCase() ?? null])
        : [[field('spec'), special]];
    const pairs: [Value, Value][] = [
      ...times,
      [field('identifier'), identifier],
      [field('cmd'), cmd],
      [field('comment'), wanted.get('comment') ?? null],
      [field('commented'), commented === null ? null : commented === true],
    ];
    return isDoubled || pairs.some(([old, now]) => needsChange(old, now)) ? 'update' : 'present';
  }
  return isDoubled || (takesOver && (await hadNoIdentifier(ctx, user, wanted))) ? 'update' : 'absent';
}

/** Looks for a variable. */
export async function variableStatus(
  ctx: StateContext,
  user: Value,
  { name, value }: { name: Value; value: Value },
): Promise<CronStatus> {
  const found = dictsIn((await table(ctx, user)).get('env')).find((entry) => entry.get('name') === name);
  if (found === undefined) return 'absent';
  return isSameVariable(found.get('value') ?? null, value) ? 'present' : 'update';
}
