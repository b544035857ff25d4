/** `publish.*`: jobs and runners that a minion has its master publish (3006.16 salt/modules/publish.py). */
import { UnreachableError } from '../../errors/errors.ts';
import { pyCount } from '../../python/conversions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import { refused } from '../shared/refused-by-master.ts';
import { ASKS_REASON, refusalIn } from '../../network/channel/refusal.ts';
import { param } from '../../runtime/loader/params.ts';

const LOOK_MS = 300;

/** What is to be published, as the functions take it. */
interface Publication {
  readonly tgt: Value;
  readonly fun: string;
  readonly arg: Value[];
  readonly tgt_type: Value;
  readonly returner: Value;
  readonly timeout: Value;
}

/** True when there is no master to ask. */
function isAlone(ctx: ModuleContext): boolean {
  return truthy(ctx.opts.get('local')) || ctx.opts.get('master_type') === 'disable';
}

/** One value as YAML, in a list. */
function argumentList(arg: Value): Value[] {
  const value = typeof arg === 'string' ? yamlifyArgument(arg) : arg;
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function noParse(ctx: ModuleContext): Value {
  return ctx.opts.get('no_parse') ?? [];
}

/** Has a job published and collects what comes back, until all have answered or the time is over. */
async function publish(
  ctx: ModuleContext,
  { tgt, fun, arg, tgt_type, returner, timeout }: Publication,
  form: 'clean' | 'full',
  master?: string,
): Promise<Value> {
  const name = fun;
  if (isAlone(ctx)) {
    ctx.log.error('Cannot run publish commands without a connection to a salt master. No command sent.');
    return new Map();
  }
  if (name.startsWith('publish.')) {
    ctx.log.info('Cannot publish publish calls. Returning {}');
    return new Map();
  }
  const options = { once: true, ...(master === undefined ? {} : { master }) };
  const load = dict({
    cmd: 'minion_pub',
    fun: name,
    arg,
    tgt,
    tgt_type,
    ret: returner,
    tmo: timeout,
    form,
    id: ctx.id,
    no_parse: noParse(ctx),
    ...ASKS_REASON,
  });
  try {
    const job = await ctx.services.request(load, options);
    if (!isDict(job) || !job.has('jid')) return refused(ctx, 'publish', refusalIn(job) ?? NOT_PUBLISHED);
    const returns = await collect(ctx, job, { timeoutMs: patienceMs(timeout), options });
    if (form === 'full') return returns;
    return new Map(
      [...returns].map(([id, entry]) => [id, isDict(entry) ? (entry.get('ret') ?? null) : null]),
    );
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return `'${name}' publish timed out`;
  }
}

const NOT_PUBLISHED =
  'The master has not published the job: its option peer does not allow it, or no minion fits.';

function patienceMs(timeout: Value): number {
  return (toNumber(timeout) ?? pyCount(timeout)) * 1000;
}

interface Collecting {
  readonly timeoutMs: number;
  readonly options: { readonly master?: string };
}

/** Asks for the returns of a job until all are there. Salt compat: nobody within the time gives an empty mapping. */
async function collect(ctx: ModuleContext, job: Dict, { timeoutMs, options }: Collecting): Promise<Dict> {
  const minions = job.get('minions');
  const wanted = Array.isArray(minions) ? minions : [];
  const load = dict({ cmd: 'pub_ret', id: ctx.id, jid: job.get('jid') ?? '' });
  const untilMs = ctx.clock.monotonicMs() + timeoutMs;
  for (;;) {
    const reply = wanted.length === 0 ? new Map<Value, Value>() : await ctx.services.request(load, options);
    const returns: Dict = isDict(reply) ? reply : new Map();
    if (wanted.every((id) => returns.has(id)) || ctx.clock.monotonicMs() > untilMs) return returns;
    await ctx.clock.sleep(LOOK_MS, ctx.signal);
    if (ctx.signal.aborted) return returns;
  }
}

async function callRunner(ctx: ModuleContext, fun: string, arg: Value[], timeout: Value): Promise<Value> {
  const words = arg;
  if (isAlone(ctx)) return 'No access to master. If using salt-call with --local, please remove.';
  const name = fun;
  const load = dict({
    cmd: 'minion_runner',
    fun: name,
    arg: words,
    tmo: timeout,
    id: ctx.id,
    no_parse: noParse(ctx),
    ...ASKS_REASON,
  });
  try {
    const value = await ctx.services.request(load, { once: true });
    const reason = refusalIn(value);
    return reason === undefined ? value : refused(ctx, 'publish', reason);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return `'${name}' runner publish timed out`;
  }
}

const fun = param.text({ doc: 'The function.' });
const arg = param.by(argumentList, {
  default: null,
  type: 'any',
  doc: 'Its argument, or a list of them; text is read as YAML. Keywords are `name=value` texts.',
});
const timeout = param.value({ default: 5, type: 'int', doc: 'How many seconds to wait for returns.' });
const params = {
  tgt: param.value({ type: 'str', doc: 'The minions it is for.' }),
  fun,
  arg,
  tgt_type: param.value({
    default: 'glob',
    type: 'str',
    doc: 'What kind of target that is. Pillar targets have to match exactly.',
  }),
  returner: param.value({ default: '', type: 'str', doc: 'Where the minions send their returns besides.' }),
  timeout,
} as const;

/** The module `publish`. */
export const publishModule = defineModule({
  name: 'publish',
  file: 'publish',
  doc: "Jobs on other minions, and runners on the master, as far as the master's options `peer` and `peer_run` allow them.",
  failsWith: { empty: ['publish', 'full_data'] },
  functions: {
    publish: defineFunction({
      doc:
        'Has the master publish a job to other minions, and waits for their returns. The option `peer` of the master must ' +
        'allow it; functions of this module cannot be published.',
      params: {
        ...params,
        via_master: param.textIfGiven({ default: null, doc: 'The master to ask, where there are several.' }),
      },
      returns: 'mapping of minion to return; empty when it is not allowed or nobody answers',
      examples: [
        "salt system.example.com publish.publish '*' cmd.run 'ls -la /tmp'",
        "salt system.example.com publish.publish 'os:Fedora' network.interfaces tgt_type=grain",
        "salt '*' publish.publish '*' test.kwarg arg=\"['cheese=spam','spam=cheese']\"",
      ],
      run: (ctx, args) => publish(ctx, args, 'clean', args.via_master),
    }),
    full_data: defineFunction({
      doc: 'Publishes like `publish.publish`, and shows all that came back.',
      params,
      returns: 'mapping of minion to a mapping of `ret` and perhaps `out`',
      examples: ["salt system.example.com publish.full_data '*' cmd.run 'ls -la /tmp'"],
      run: (ctx, args) => publish(ctx, args, 'full'),
    }),
    runner: defineFunction({
      doc: 'Runs a runner on the master. The option `peer_run` of the master must allow it.',
      params: { fun, arg, timeout },
      returns: 'what the runner returns; an empty mapping when it is not allowed',
      examples: ['salt publish.runner manage.down'],
      run: (ctx, args) => callRunner(ctx, args.fun, args.arg, args.timeout),
    }),
  },
});
