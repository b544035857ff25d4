/**
 * What a master does for execution and state functions that run on it (salt/modules/saltutil.py,
 * salt/states/saltmod.py, 3006.16).
 */
import { createHash } from 'node:crypto';
import { masterSockets } from '../../config/master-sockets.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { EventBusReader } from '../../network/events/bus-client.ts';
import type { RunnerContext } from '../../plugins/shared/runner/runner.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { parsePublished } from '../../runtime/loader/bind.ts';
import type {
  EventListener,
  MasterFunctionCall,
  MasterForFunctions,
} from '../../runtime/loader/master-services.ts';
import type { JidSource } from '../../storage/jobs/jid.ts';
import { OrchestrationJournal } from '../../storage/orchestrations/journal.ts';
import { findFunction } from './find-function.ts';
import { MasterJobs } from './master-jobs.ts';
import type { OrchestrationSteps, StepJobs } from './orchestration-steps.ts';
import type { OwnFunctions } from './own-functions.ts';

const RECONNECT_MS = 50;
const UNKNOWN_USER = 'UNKNOWN';
/** The runners that go on with what they have done before. */
const RESUMABLE: ReadonlySet<string> = new Set(['state.orchestrate', 'state.orch', 'state.sls']);

/** What the services are made of. */
export interface MasterServicesDeps {
  readonly context: RunnerContext;
  readonly jids: JidSource;
  readonly own?: OwnFunctions | undefined;
  /** The orchestration that is run. */
  readonly steps?: OrchestrationSteps | undefined;
}

/** Makes the services. */
export function masterServices(deps: MasterServicesDeps): MasterForFunctions {
  const { context, jids, steps } = deps;
  const jobs = new MasterJobs({
    context,
    jids,
    steps: steps?.journal,
    returned: (step, done, of) => steps?.display.returned(step, done, of),
  });
  return {
    user: context.user,
    steps,
    publish: (job) => jobs.publish(job),
    run: (call) => runFunction(deps, call),
    fire: (tag, data) => context.fire(tag, data),
    listen: (isWanted, listener) => listen(context, isWanted, listener),
  };
}

async function runFunction(deps: MasterServicesDeps, call: MasterFunctionCall): Promise<Dict> {
  const { context, jids, own, steps } = deps;
  const { kind, fun, orchestrationJid, step, user = UNKNOWN_USER } = call;
  const spec = await findFunction(kind, fun, own);
  const given = [...call.arg, new Map<Value, Value>([['__kwarg__', true], ...call.kwarg])];
  const { positional: arg, keywords: kwarg } =
    spec === undefined
      ? { positional: call.arg, keywords: new Map(call.kwarg) }
      : parsePublished(spec, given);
  if (spec?.params?.['saltenv'] !== undefined) kwarg.set('saltenv', call.saltenv ?? 'base');
  if (orchestrationJid !== undefined) {
    const told = kind === 'runner' ? { args: [...arg], kwargs: kwarg } : { args: kwarg };
    await context.fire(`salt/run/${orchestrationJid}/args`, dict({ type: kind, name: fun, ...told }));
  }
  const jid = jids.next();
  if (steps !== undefined && step !== undefined) {
    const key = keyOf(step, call);
    const before = await runBefore(context, steps.journal, { key, fun });
    if (before?.ended !== undefined) return before.ended;
    if (before?.resume !== undefined) kwarg.set('resume', before.resume);
    steps.journal.keepRun(key, jid);
  }
  const shown = steps === undefined || step === undefined ? {} : { showStep: steps.display.within(step) };
  return context.run({ kind, fun, arg, kwarg, user, jid, ...shown });
}

/** What stands for a step and what it calls: a step may call several functions. */
function keyOf(step: string, { kind, fun, arg, kwarg }: MasterFunctionCall): string {
  const named = [...kwarg].filter(([key]) => key !== 'orchestration_jid');
  const sum = createHash('sha256').update(encode([kind, fun, [...arg], new Map(named)], 'local'));
  return `${step} ${sum.digest('hex')}`;
}

/**
 * What an interrupted run of the orchestration has of a call: its return when it succeeded, or what the call can go on
 * with.
 */
async function runBefore(
  { jobs, opts }: RunnerContext,
  journal: StepJobs,
  { key, fun }: { readonly key: string; readonly fun: string },
): Promise<{ ended?: Dict; resume?: string } | undefined> {
  const jid = journal.runOf(key);
  if (jid === undefined) return undefined;
  for (const { return: data } of await jobs.returns(jid))
    if (isDict(data) && data.get('success') === true) return { ended: data };
  if (RESUMABLE.has(fun) && OrchestrationJournal.isKept(opts.get('cachedir'), jid)) return { resume: jid };
  return undefined;
}

/** Listens, also after the bus was away for a while. */
async function listen(
  { opts, clock }: RunnerContext,
  isWanted: (tag: string) => boolean,
  listener: EventListener,
): Promise<() => void> {
  let isClosed = false;
  let reader: EventBusReader | undefined;
  const connect = (): Promise<EventBusReader> =>
    EventBusReader.connect(
      masterSockets(opts).eventPub,
      isWanted,
      ({ tag, data }: { tag: string; data: Map<Value, Value> }) => listener(tag, data),
      () => void again(),
    );
  const again = async (): Promise<void> => {
    while (!isClosed) {
      try {
        reader = await connect();
        return;
      } catch {
        await clock.sleep(RECONNECT_MS);
      }
    }
  };
  reader = await connect();
  return () => {
    isClosed = true;
    reader?.close();
  };
}
