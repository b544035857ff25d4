/** `incron`: commands that run when files change (3006.16 salt/states/incron.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { compareMasks } from './module.ts';
import { outcomeByLetters as outcome, outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const JOB = {
  name: param.text({ doc: 'A name of the state.' }),
  path: param.text({ doc: 'What is watched.' }),
  mask: param.by(masksOf, { type: 'list of str', doc: 'The events: IN_MODIFY, IN_CREATE.' }),
  cmd: param.text({ doc: 'What runs then.' }),
  user: param.text({ default: 'root', doc: 'Whose table; system for that of the whole system.' }),
} as const;
type Wanted = TypedArguments<typeof JOB>;

/** Salt compat: Salt takes a text letter by letter; here it is the mask as it is written. */
function masksOf(value: Value): string {
  return Array.isArray(value) ? value.map(pyStr).join(',') : pyStr(value);
}

async function status(ctx: StateContext, wanted: Wanted): Promise<'present' | 'update' | 'absent'> {
  const found = await ctx.functions.call('incron.list_tab', [wanted.user]);
  const jobs = isDict(found) ? (found.get('crons') ?? null) : null;
  for (const job of Array.isArray(jobs) ? jobs : []) {
    const about: Dict = isDict(job) ? job : dict();
    if (about.get('path') !== wanted.path || about.get('cmd') !== wanted.cmd.replace(/\n$/, '')) continue;
    const compared = compareMasks(pyStr(about.get('mask') ?? null), wanted.mask);
    if (compared !== 'different') return compared === 'same' ? 'present' : 'update';
  }
  return 'absent';
}

const ask = (ctx: StateContext, fun: string, { user, path, mask, cmd }: Wanted): Promise<Value> =>
  ctx.functions.call(`incron.${fun}`, [], { user, path, mask, cmd });

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, user } = wanted;
  const changes: Dict = new Map([[user, name]]);
  if (ctx.state.test) {
    const now = await status(ctx, wanted);
    if (now === 'present') return outcome(name, true, `Incron ${name} already present`);
    return outcome(name, null, `Incron ${name} is set to be ${now === 'absent' ? 'added' : 'updated'}`);
  }
  const said = await ask(ctx, 'set_job', wanted);
  if (said === 'present') return outcome(name, true, `Incron ${name} already present`);
  if (said === 'new') return outcome(name, true, `Incron ${name} added to ${user}'s incrontab`, changes);
  if (said === 'updated') return outcome(name, true, `Incron ${name} updated`, changes);
  return outcome(name, false, `Incron ${name} for user ${user} failed to commit with error \n${pyStr(said)}`);
}

async function absent(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, user } = wanted;
  if (ctx.state.test)
    return (await status(ctx, wanted)) === 'absent'
      ? outcomeResultFirst(name, true, `Incron ${name} is absent`)
      : outcomeResultFirst(name, null, `Incron ${name} is set to be removed`);
  const said = await ask(ctx, 'rm_job', wanted);
  if (said === 'absent') return outcomeResultFirst(name, true, `Incron ${name} already absent`);
  if (said === 'removed')
    return outcomeResultFirst(
      name,
      true,
      `Incron ${name} removed from ${user}'s crontab`,
      new Map([[user, name]]),
    );
  return outcomeResultFirst(
    name,
    false,
    `Incron ${name} for user ${user} failed to commit with error ${pyStr(said)}`,
  );
}

/** The states of `incron`. */
export const incronStates = defineModule({
  name: 'incron',
  file: 'incron',
  doc: 'Commands that run when files change, by incron.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a job is in the table of a user.',
      params: JOB,
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that a job is not in the table of a user.',
      params: JOB,
      run: absent,
    }),
  },
});
