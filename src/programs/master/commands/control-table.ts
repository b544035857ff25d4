/** The handlers of `runner` and `wheel` with all that they work with. */
import type { ClearHandler } from '../../../network/channel/door.ts';
import { systemRandom } from '../../../host/random.ts';
import type { Dict } from '../../../python/values/value.ts';
import type { JidSource } from '../../../storage/jobs/jid.ts';
import type { JobReader } from '../../../storage/jobs/job-store.ts';
import { ownFunctions } from '../../runner/own-functions.ts';
import { runLow } from '../../runner/run-low.ts';
import { openRunnerContext } from '../../runner/runner-context.ts';
import type { Access } from '../auth/access.ts';
import { isFailure, refusalOf, voucherOf } from '../auth/requester.ts';
import type { RoleContext } from '../roles/role.ts';
import { RunnerProcesses } from '../runner-processes.ts';
import { runnerHandler, wheelHandler, type ControlDecision, type ControlDeps } from './control.ts';

/** What the handlers need of their worker. */
export interface ControlTableDeps {
  readonly context: RoleContext;
  readonly access: Access;
  readonly jobs: Pick<JobReader, 'job'>;
  readonly jids: JidSource;
  readonly fireEvent: (tag: string, data: Dict) => void;
}

/** The commands by name. */
export function controlTable(deps: ControlTableDeps): ReadonlyMap<string, ClearHandler> {
  const { context, access, jobs, jids, fireEvent } = deps;
  const { opts, log, clock } = context;
  const control: ControlDeps = {
    decide: (load, call, from) => decide(access, load, call, from),
    runners: new RunnerProcesses({ opts, fireEvent, log }),
    fireEvent,
    wheel: (order) => runWheel(deps, order),
    jids,
    jobs,
    clock,
  };
  return new Map([
    ['runner', runnerHandler(control)],
    ['wheel', wheelHandler(control)],
  ]);
}

/**
 * Salt compat: Salt lets every user of `publisher_acl` call all of them, whatever his list says; here a rule of his
 * must be for them.
 */
async function decide(
  access: Access,
  load: Dict,
  call: Parameters<ControlDeps['decide']>[1],
  from: string,
): Promise<ControlDecision> {
  const requester = await access.identify(load, { client: call.client, funs: [call.fun], from });
  if (isFailure(requester)) return { error: requester.error };
  if (access.decide(requester, call, from).allowed)
    return { user: requester.user, eauth: voucherOf(requester) };
  return { error: refusalOf(requester) };
}

/** Custom wheel functions are looked for each time, so that those that were synced are there at once. */
async function runWheel(
  { context: { opts, log, clock }, jids }: ControlTableDeps,
  { fun, low, jid, user, eauth }: Parameters<ControlDeps['wheel']>[0],
): Promise<Dict> {
  const settings = opts.toDict();
  const own = ownFunctions(settings, log);
  const run = openRunnerContext({
    opts,
    settings,
    jid,
    user,
    eauth,
    env: {},
    clock,
    random: systemRandom,
    log,
    signal: new AbortController().signal,
    print: (text) => log.debug(text),
    show: () => Promise.resolve(),
    own,
    jids,
  });
  try {
    return (await runLow(run, { kind: 'wheel', fun, low, own }))?.data ?? new Map();
  } finally {
    await run.close();
  }
}
