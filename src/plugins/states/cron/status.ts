/** What test mode finds in a crontab (3006.16 salt/states/cron.py `_check_cron`). */
import { isMeant, needsChange, TIME_FIELDS } from '../../modules/cron/table.ts';
import { optionalText } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../state-function.ts';

/** Whether a line is there, and as it is wanted. */
export type CronStatus = 'absent' | 'present' | 'update';

const dictsIn = (value: Value | undefined): Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);

async function table(ctx: StateContext, user: Value): Promise<Dict> {
  return (await ctx.functions.call('cron.list_tab', [user])) as Dict;
}

/**
 * Looks for a job.
 * @param wanted `cmd`, `identifier` and, where they matter, `comment`, `commented`, times or `special`; what is null may be anything
 */
export async function cronStatus(ctx: StateContext, user: Value, wanted: Dict): Promise<CronStatus> {
  const special = wanted.get('special') ?? null;
  const text = (key: string): string | null => optionalText(wanted.get(key) ?? null) ?? null;
  const [cmd, identifier] = [text('cmd') ?? '', text('identifier')];
  const commented = wanted.get('commented') ?? null;
  const lines = dictsIn((await table(ctx, user)).get(special === null ? 'crons' : 'special'));
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
    return pairs.some(([old, now]) => needsChange(old, now)) ? 'update' : 'present';
  }
  return 'absent';
}

/** Looks for a variable. */
export async function variableStatus(
  ctx: StateContext,
  user: Value,
  { name, value }: { name: Value; value: Value },
): Promise<CronStatus> {
  const found = dictsIn((await table(ctx, user)).get('env')).find((entry) => entry.get('name') === name);
  if (found === undefined) return 'absent';
  return found.get('value') === (value ?? '') ? 'present' : 'update';
}
