/** `at`: commands that run once, later (3006.16 salt/states/at.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { userAccount } from '../shared/accounts.ts';

const NAME = { name: param.text({ doc: 'The command, or a name of the state.' }) } as const;
const JOB = {
  ...NAME,
  timespec: param.text({ doc: 'When it is to run, as at understands it.' }),
  tag: param.value({ default: null, type: 'str', doc: 'A word by which the job is found again.' }),
  user: textIfSaid('Who runs it.'),
  job: textIfSaid('The command, in place of the name.'),
  unique_tag: param.flag({ default: false, doc: 'Add nothing where a job has the tag.' }),
} as const;

async function jobsOf(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  keywords: Dict,
): Promise<Value[]> {
  const found = await ctx.functions.call(`at.${fun}`, args, keywords);
  const jobs = isDict(found) ? (found.get('jobs') ?? null) : null;
  return Array.isArray(jobs) ? jobs : [];
}

async function present(ctx: StateContext, wanted: TypedArguments<typeof JOB>): Promise<StateResult> {
  const { name, timespec, tag, user } = wanted;
  const job = wanted.job ?? name;
  if (wanted.unique_tag) {
    if (!truthy(tag)) return outcome(name, false, 'no tag provided and unique_tag is set to True');
    if ((await jobsOf(ctx, 'jobcheck', [], dict({ tag }))).length > 0)
      return outcome(name, true, `atleast one job with tag ${pyStr(tag)} exists.`);
  }
  const isUser = user === undefined || (await userAccount(ctx, [user])) !== undefined;
  if (!isUser && !mayBeMade(ctx)) return outcome(name, false, `user ${user} does not exists`);
  // Salt compat: there, test mode promises a job in any case
  if (ctx.state.test) return outcome(name, null, `job ${job} added and will run on ${timespec}`);
  const runas = user === undefined ? {} : { runas: user };
  const added = await ctx.functions.call('at.at', [timespec, job], { tag, ...runas });
  const about: Dict = isDict(added) ? added : dict();
  const [jobs, error] = [about.get('jobs') ?? null, about.get('error')];
  const first = Array.isArray(jobs) ? jobs[0] : undefined;
  const changes = isDict(first) ? first : dict();
  if (error !== undefined) return outcome(name, false, error, changes);
  const who = user === undefined ? '' : ` as ${user}`;
  return outcome(name, true, `job ${job} added and will run${who} on ${timespec}`, changes);
}

async function removed(ctx: StateContext, args: readonly Value[]): Promise<string[]> {
  const done = await ctx.functions.call('at.atrm', args);
  const jobs = isDict(done) ? done.get('jobs') : undefined;
  const numbers = isDict(jobs) ? (jobs.get('removed') ?? null) : null;
  return Array.isArray(numbers) ? numbers.map(pyStr) : [];
}

async function absentJob(ctx: StateContext, name: string, jobid: string): Promise<StateResult> {
  const found = await jobsOf(ctx, 'atq', [], dict());
  if (!found.some((job) => isDict(job) && pyStr(job.get('job') ?? null) === jobid))
    return outcome(name, true, `job with id ${jobid} not present`);
  if (ctx.state.test) return outcome(name, null, 'removed ? job(s)');
  const gone = await removed(ctx, [jobid]);
  // Salt compat: Salt looks for a number among texts, and says that it failed to remove what it has removed
  const isGone = gone.includes(jobid);
  const comment = isGone ? `job with id ${jobid} was removed` : `failed to remove job with id ${jobid}`;
  return outcome(name, isGone, comment, dict({ removed: gone }));
}

async function absent(
  ctx: StateContext,
  { name, jobid }: { readonly name: string; readonly jobid: string | undefined },
  conditions: Dict,
): Promise<StateResult> {
  if (conditions.has('limit')) return outcome(name, false, `limit parameter not supported ${name}`);
  if (jobid !== undefined) return absentJob(ctx, name, jobid);
  const isSome = conditions.size > 0;
  const found = isSome ? await jobsOf(ctx, 'jobcheck', [], conditions) : await jobsOf(ctx, 'atq', [], dict());
  // Salt compat: there, test mode promises a removal in any case
  if (ctx.state.test && found.length > 0) return outcome(name, null, 'removed ? job(s)');
  if (found.length === 0) return outcome(name, true, 'removed 0 job(s)');
  const args = isSome ? found.map((job) => pyStr(isDict(job) ? (job.get('job') ?? null) : null)) : ['all'];
  const gone = await removed(ctx, args);
  return outcome(
    name,
    true,
    `removed ${gone.length} job(s)`,
    gone.length === 0 ? dict() : dict({ removed: gone }),
  );
}

/** Why a job can never be added. */
function refuses({ name, job, timespec }: TypedArguments<typeof JOB>): string | undefined {
  if (timespec.trim() === '' || timespec === 'None')
    return 'timespec says when the job is to run: it cannot be empty';
  return (job ?? name).startsWith('-') ? `A job cannot begin with '-': ${pyRepr(job ?? name)}` : undefined;
}

/** The states of `at`. */
export const atStates = defineModule({
  name: 'at',
  file: 'at',
  doc: 'Commands that run once, later, by at.',
  needs: { fun: 'at.at', otherwise: 'at module could not be loaded' },
  words: { lines: ['name', 'job'], dashes: ['name', 'job'] },
  functions: {
    present: defineState({
      doc: 'Adds a job; with unique_tag only where no job has its tag.',
      params: JOB,
      refuses,
      run: present,
    }),
    absent: defineState({
      doc: 'Removes a job by its number, jobs by conditions (year, month, day, hour, minute, tag, runas), or all jobs.',
      params: { ...NAME, jobid: param.textIfGiven({ default: null, doc: 'The number of a job.' }) },
      kwargs: 'kwargs',
      run: absent,
    }),
    watch: defineState({
      doc: 'Adds a job when what it watches has changed.',
      params: JOB,
      run: (_ctx, { name }) => outcome(name, true, ''),
    }),
    mod_watch: defineState({
      doc: 'Adds the job of at.watch when what it watches has changed.',
      params: { ...JOB, timespec: param.text({ default: null, doc: JOB.timespec.doc }) },
      kwargs: 'kwargs',
      run: (ctx, wanted, further) =>
        further.get('sfun') === 'watch' ? present(ctx, wanted) : outcome(wanted.name, false, ''),
    }),
  },
});
