/**
 * The reactor of a minion (salt/engines/reactor.py with a minion's options, 3006.16): it reads the minion's own bus and
 * runs functions of the minion. Jobs and functions of a master are out of its reach.
 */
import { join } from 'node:path';
import { awaitedDisk } from '../../../config/power-failure.ts';
import type { MinionOptions } from '../../../config/minion-options.ts';
import { BrineError } from '../../../errors/errors.ts';
import { systemClock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { rareLog } from '../../../host/rare-lines.ts';
import { systemRandom } from '../../../host/random.ts';
import { Secret } from '../../../host/secret.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { JidSource } from '../../../storage/jobs/jid.ts';
import { applyNiceness } from '../../daemon/niceness.ts';
import { CallPool } from '../../reactor/call-pool.ts';
import { Chains } from '../../reactor/chains.ts';
import { Journal, journalPatience } from '../../reactor/journal.ts';
import { ReactorManager } from '../../reactor/manage.ts';
import { ReactionMap } from '../../reactor/reaction-map.ts';
import { Reactor } from '../../reactor/reactor.ts';
import { ReactionRenderer } from '../../reactor/render-reactions.ts';
import { MasterReactions } from '../../reactor/run-reaction.ts';
import { reactorFeedPath } from '../event-bus.ts';

const KEY_BYTES = 32;

/** What it needs. */
export interface MinionReactorDeps {
  readonly opts: MinionOptions;
  /** Functions of the minion, with its grains and pillar as they are now. */
  readonly functions: () => ModuleContext;
  /** Forgets the modules that are loaded (`reactor_refresh_interval`). */
  readonly forget: () => void;
  readonly log: Logger;
}

/** Starts it. @returns what ends it */
export async function startMinionReactor({
  opts,
  functions,
  forget,
  log: every,
}: MinionReactorDeps): Promise<{ stop(): Promise<void> }> {
  const clock = systemClock;
  // an event can come thousands of times a minute
  const log = rareLog(every, clock);
  const refreshMs = opts.get('reactor_refresh_interval') * 1000;
  applyNiceness(opts.get('reactor_niceness'), log);
  const map = new ReactionMap({ configured: opts.get('reactor'), refreshMs, clock, log });
  const renderer = new ReactionRenderer({ context: () => Promise.resolve(functions()), log });
  // nobody has this key: the rules of a minion are changed in its configuration only
  const key = new Secret(systemRandom.bytes(KEY_BYTES).toString('hex'));
  const outOfReach = (): Promise<never> =>
    Promise.reject(
      new BrineError('a minion publishes no jobs and runs no functions of a master; use caller.'),
    );
  const patience = journalPatience(clock, log);
  const reactor = new Reactor({
    feedPath: reactorFeedPath(opts),
    journal: new Journal(join(opts.get('cachedir'), 'reactor', 'journal.db'), awaitedDisk(opts), patience),
    refused: patience.refused,
    map,
    manager: new ReactorManager({
      id: opts.get('id'),
      map,
      masterKey: () => key,
      fire: () => undefined,
      log: every,
    }),
    renderer,
    find: outOfReach,
    runner: new MasterReactions({
      publish: outOfReach,
      publishOnce: outOfReach,
      isReturned: () => Promise.resolve(false),
      runFunction: outOfReach,
      callHere: ({ reaction: { fun, arg, kwarg } }) => functions().functions.call(fun, [...arg], kwarg),
      timeoutMs: 1000,
      log,
    }),
    jids: new JidSource(clock),
    pool: new CallPool(opts.get('reactor_worker_threads'), opts.get('reactor_worker_hwm')),
    chains: new Chains(),
    clock,
    log,
  });
  const refresh = clock.every(
    Math.max(1000, refreshMs),
    () => {
      renderer.forget();
      forget();
    },
    { background: true },
  );
  await reactor.start();
  log.info('The reactor is ready');
  void renderer.sayMissing(map.served());
  return {
    stop: async () => {
      refresh.cancel();
      await reactor.stop();
    },
  };
}
