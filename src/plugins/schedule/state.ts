/** `schedule`: the minion's scheduled jobs (3006.16 salt/states/schedule.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = param.text({ doc: 'The name of the job.' });

async function currentJobs(ctx: StateContext, offline: Value | undefined): Promise<Dict> {
  const options = dict({ show_all: true, return_yaml: false, offline: offline ?? null });
  const jobs = await ctx.functions.call('schedule.list', [], options);
  return isDict(jobs) ? jobs : new Map();
}

/** What a function of `schedule` answers. */
interface Answer {
  readonly result: boolean;
  readonly comment: Value;
  readonly changes: Dict;
}

async function order(ctx: StateContext, fun: string, name: Value, kwargs: Dict): Promise<Answer> {
  const options = ctx.state.test ? new Map(kwargs).set('test', true) : kwargs;
  const answer = (await ctx.functions.call(`schedule.${fun}`, [name], options)) as Dict;
  const changes = answer.get('changes');
  return {
    result: truthy(answer.get('result')),
    comment: answer.get('comment') ?? '',
    changes: isDict(changes) ? changes : dict(),
  };
}

/** The job as it is to be, with `enabled`, which the list always has; undefined when it is not valid. */
async function wantedJob(ctx: StateContext, name: Value, kwargs: Dict): Promise<Dict> {
  const built = await ctx.functions.call('schedule.build_schedule_item', [name], kwargs);
  const item = isDict(built) ? new Map(built) : new Map<Value, Value>();
  const isRefused = item.has('result') && !truthy(item.get('result'));
  if (!isRefused && !item.has('enabled')) item.set('enabled', true);
  return item;
}

async function present(ctx: StateContext, name: Value, kwargs: Dict): Promise<StateResult> {
  const text = pyStr(name);
  const jobs = await currentJobs(ctx, kwargs.get('offline'));
  const current = jobs.get(name);
  if (current !== undefined) {
    const wanted = await wantedJob(ctx, name, kwargs);
    if (wanted.has('result') && !truthy(wanted.get('result')))
      return outcomeResultFirst(name, false, wanted.get('comment') ?? '');
    if (valuesEqual(wanted, current)) return outcomeResultFirst(name, true, `Job ${text} in correct state`);
  }
  const [fun, done] = current === undefined ? ['add', 'Adding new'] : ['modify', 'Modifying'];
  const where = current === undefined ? 'to' : 'in';
  const answer = await order(ctx, fun, name, kwargs);
  if (!answer.result) return outcomeResultFirst(name, false, answer.comment);
  if (ctx.state.test)
    return outcomeResultFirst(name, true, answer.comment, current === undefined ? dict() : answer.changes);
  return outcomeResultFirst(name, true, `${done} job ${text} ${where} schedule`, answer.changes);
}

/** States that do something to a job that is there. @param isOfflineKnown the list of jobs heeds `offline`, too */
function onPresent(
  doc: string,
  {
    fun,
    verb,
    isOfflineKnown,
    hasChanges,
  }: { fun: string; verb: string; isOfflineKnown: boolean; hasChanges: boolean },
) {
  return defineState({
    doc,
    params: { name: NAME },
    kwargs: 'kwargs',
    run: async (ctx, { name }, kwargs) => {
      const jobs = await currentJobs(ctx, isOfflineKnown ? kwargs.get('offline') : undefined);
      if (!jobs.has(name)) return outcomeResultFirst(name, true, `Job ${name} not present in schedule`);
      const answer = await order(ctx, fun, name, kwargs);
      if (!answer.result) return outcomeResultFirst(name, false, answer.comment);
      if (ctx.state.test) return outcomeResultFirst(name, true, answer.comment);
      const changes = hasChanges ? answer.changes : dict();
      return outcomeResultFirst(name, true, `${verb} job ${name} from schedule`, changes);
    },
  });
}

/** The states of `schedule`. */
export const scheduleStates = defineModule({
  name: 'schedule',
  file: 'schedule',
  doc: "The minion's scheduled jobs.",
  functions: {
    present: defineState({
      doc: 'Makes sure that a job is scheduled; the arguments are those of `schedule.add`.',
      params: { name: param.value({ type: 'str', doc: NAME.doc }) },
      kwargs: 'kwargs',
      examples: ['function: state.apply, seconds: 3600, splay: 10'],
      run: (ctx, { name }, kwargs) => present(ctx, name, kwargs),
    }),
    absent: onPresent('Makes sure that a job is not scheduled.', {
      ...{ fun: 'delete', verb: 'Removed', isOfflineKnown: true, hasChanges: true },
    }),
    enabled: onPresent('Makes sure that a scheduled job is enabled.', {
      ...{ fun: 'enable_job', verb: 'Enabled', isOfflineKnown: false, hasChanges: false },
    }),
    disabled: onPresent('Makes sure that a scheduled job is disabled.', {
      ...{ fun: 'disable_job', verb: 'Disabled', isOfflineKnown: true, hasChanges: false },
    }),
  },
});
