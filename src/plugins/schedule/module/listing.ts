/** The schedule as `schedule.list` shows it (3006.16 salt/modules/schedule.py `list_`). */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { savedSchedule } from '../../../runtime/scheduler/saved.ts';
import { copyValue, dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** The fields of a job that are shown; all others are the scheduler's own. */
const SHOWN: ReadonlySet<Value> = new Set([
  ...[
    'name',
    'maxrunning',
    'function',
    'splay',
    'range',
    'when',
    'once',
    'once_fmt',
    'returner',
    'jid_include',
  ],
  ...['args', 'kwargs', 'seconds', 'minutes', 'hours', 'days', 'enabled', 'return_job', 'metadata', 'cron'],
  ...['until', 'after', 'return_config', 'return_kwargs', 'run_on_start', 'skip_during_range'],
  'run_after_skip_range',
]);
/** Entries beside the jobs. */
const SETTINGS: ReadonlySet<Value> = new Set(['enabled', 'skip_function', 'skip_during_range']);

/** Which jobs to list. */
export interface ListOptions {
  readonly showAll: boolean;
  readonly showDisabled?: boolean;
  /** `pillar`, `opts`, or both. */
  readonly where?: Value;
  /** Read the saved file in place of asking the minion. */
  readonly isOffline?: boolean;
}

/** The jobs by name, without what is not configuration. */
export async function listJobs(ctx: ModuleContext, options: ListOptions): Promise<Dict> {
  const { showAll, showDisabled = true, where = null, isOffline = false } = options;
  const schedule = isOffline ? savedSchedule(ctx.opts) : await askForJobs(ctx, where);
  const out: Dict = new Map();
  for (const [name, data] of schedule) {
    if (SETTINGS.has(name)) out.set(name, data);
    else if (!isDict(data)) continue;
    else if (!showAll && String(name).startsWith('__')) continue;
    else {
      const job = shownJob(data);
      if (showDisabled || job.get('enabled') !== false) out.set(name, job);
    }
  }
  return out;
}

/** All jobs as the scheduler has them. */
export async function askForJobs(ctx: ModuleContext, where: Value): Promise<Dict> {
  const answer = await ctx.services.manage?.(
    'schedule',
    dict({ func: 'list', where }),
    '/salt/minion/minion_schedule_list_complete',
  );
  const schedule = answer?.get('schedule');
  return isDict(schedule) ? copyValue(schedule) : new Map();
}

function shownJob(data: Dict): Dict {
  const out: Dict = new Map();
  for (const [field, value] of data) {
    if (!SHOWN.has(field) || value === null) continue;
    out.set(field, value === 'true' ? true : value === 'false' ? false : value);
  }
  if (!out.has('enabled')) out.set('enabled', true);
  return out;
}

/** Tells of each job whether it is in the saved file. */
export function withSaved(ctx: ModuleContext, schedule: Dict): Dict {
  const saved = savedSchedule(ctx.opts);
  for (const [name, data] of schedule) if (isDict(data)) data.set('saved', saved.has(name));
  return schedule;
}
