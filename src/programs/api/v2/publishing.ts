/** Jobs as the interface takes them, and publishing them in the name of whoever asks. */
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { PublishOptions, PublishedJob } from '../../../runtime/client/local-client.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../../runtime/targeting/nodegroups.ts';
import { isJid } from '../../../storage/jobs/jid.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { ApiFault } from './fault.ts';
import { targetType } from './targets.ts';
import {
  anything,
  component,
  dictionary,
  either,
  flag,
  list,
  number,
  object,
  optional,
  text,
  type SchemaType,
} from './schema.ts';

const FUN = { minLength: 1, maxLength: 200 } as const;
const FUNCTIONS_MAX = 50;
/** Batches are numbers or shares. */
const AMOUNT = '^[1-9][0-9]{0,6}%?$';

/** A job to start. */
export const newJob = component(
  'NewJob',
  object({
    tgt: anything('a text, or for `list` a list of names'),
    tgt_type: optional(targetType),
    fun: either(
      text(FUN),
      list(text(FUN), { minItems: 1, maxItems: FUNCTIONS_MAX }),
      'a function, or several',
    ),
    arg: optional(list(anything(), { description: 'of several functions a list for each' })),
    kwarg: optional(dictionary()),
    test: optional(flag('in test mode: as the keyword test=True')),
    timeout: optional(number({ minimum: 0, maximum: 86_400 })),
    gather_timeout: optional(number({ minimum: 0, maximum: 86_400 })),
    batch: optional(text({ pattern: AMOUNT, description: 'so many minions at a time: 10, 25%' })),
    batch_wait: optional(number({ minimum: 0, maximum: 86_400 })),
    failhard: optional(flag('a batch ends with the first minion that fails')),
    canary: optional(
      object(
        { size: text({ pattern: AMOUNT, description: 'so many minions first: 1, 10%' }) },
        'the others have their turn only when all of the first succeed',
      ),
    ),
    ret: optional(text({ maxLength: 200, description: 'returners, with commas' })),
    metadata: optional(anything()),
    dry_run: optional(flag('answers whom it would reach, and sends nothing')),
  }),
);

/** See {@link newJob}. */
export type NewJob = SchemaType<typeof newJob>;

/** Positional arguments with the keywords at the end, as jobs and rules have them. */
export function callArguments({
  arg = [],
  kwarg,
  test,
}: {
  readonly arg?: readonly Value[];
  readonly kwarg?: Dict;
  readonly test?: boolean;
}): Value[] {
  const named: Dict = new Map([...(kwarg ?? []), ...(test === undefined ? [] : [['test', test] as const])]);
  const positional = arg.map((each) =>
    // a job's id in a call is text, however it was written
    (typeof each === 'number' || typeof each === 'bigint') && isJid(String(each)) ? String(each) : each,
  );
  return named.size === 0
    ? positional
    : [...positional, new Map<Value, Value>([['__kwarg__', true], ...named])];
}

/** The arguments of a job: of one function a list, of several a list for each. @throws ApiFault `bad-request` */
export function jobArguments({ fun, arg = [], kwarg, test }: NewJob): Value[] {
  const more = { ...(kwarg === undefined ? {} : { kwarg }), ...(test === undefined ? {} : { test }) };
  if (typeof fun === 'string') return callArguments({ arg, ...more });
  if (arg.length > 0 && arg.length !== fun.length)
    throw new ApiFault(
      'bad-request',
      `arg has ${arg.length} lists for ${fun.length} functions; it takes one for each.`,
      {
        field: 'arg',
      },
    );
  return fun.map((_, index) => {
    const given = arg[index] ?? [];
    if (!Array.isArray(given))
      throw new ApiFault('bad-request', `arg[${index}] is not a list of arguments.`, {
        field: `arg[${index}]`,
      });
    return callArguments({ arg: given, ...more });
  });
}

/** A job as it is published. @throws ApiFault `bad-target`, `bad-request` */
export function publishOptions({ link }: Deps, caller: Caller, job: NewJob): PublishOptions {
  const { opts } = link;
  const { tgt, tgtType } = expandTargetNodegroups(
    job.tgt,
    job.tgt_type ?? 'glob',
    nodegroupsOf(opts.raw('nodegroups')),
    pyStr(opts.raw('conf_file') ?? ''),
  );
  const kwargs: Dict = new Map();
  if (job.metadata !== undefined) kwargs.set('metadata', job.metadata);
  return {
    tgt,
    tgtType,
    fun: job.fun,
    arg: jobArguments(job),
    ret: [job.ret, opts.raw('ext_job_cache')]
      .filter((name) => typeof name === 'string' && name !== '')
      .join(','),
    timeoutMs: (job.timeout ?? opts.get('timeout')) * 1000,
    kwargs,
    login: { kind: 'token', token: caller.token },
  };
}

/** Publishes a job that nobody waits for here. @throws NoMinionsError, NotAuthorisedError, MasterDownError */
export async function publish({ link }: Pick<Deps, 'link'>, options: PublishOptions): Promise<PublishedJob> {
  const client = await link.client();
  const job = await client.publish(options, () => undefined);
  client.forget(job.jid);
  return job;
}
