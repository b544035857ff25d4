/**
 * The engines beside a minion, its reactor among them: each in a process of its own (salt/engines/__init__.py,
 * 3006.16).
 */
import type { Socket } from 'node:net';
import type { MinionOptions } from '../../../config/minion-options.ts';
import { runsReactor, withReactorEngine } from '../../../config/reactor.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import type { MinionServices } from '../../../runtime/loader/module.ts';
import { Supervisor, type ChildSpec, type PartMessage } from '../../daemon/supervisor.ts';
import { startableEngines } from '../../engines/startable.ts';
import { serviceHandlers } from '../remote-services.ts';
import {
  pack,
  packSurroundings,
  readFromEngine,
  REACTOR_INDEX,
  type Surroundings,
  type ToEngine,
} from './messages.ts';

/** The longest pause before the restart of an engine that keeps ending. */
const PAUSE_MAX_MS = 60_000;

/** What the engines need of their minion. */
export interface MinionEngineDeps {
  readonly opts: MinionOptions;
  readonly surroundings: () => Surroundings;
  readonly services: MinionServices;
  /** The program that an engine runs in. */
  readonly engineScript: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface EnginePart extends ChildSpec {
  readonly index: number;
}

/** Starts, tells and ends the engines of a minion. */
export class MinionEngines {
  readonly #deps: MinionEngineDeps;
  #supervisor: Supervisor<EnginePart, ToEngine, never> | undefined;

  constructor(deps: MinionEngineDeps) {
    this.#deps = deps;
  }

  /** Starts what is configured, and tells what of it cannot be. Nothing is made where nothing is configured. */
  async start(): Promise<void> {
    const { opts: configured, log, clock, engineScript, services } = this.#deps;
    const { opts, unknown } = withReactorEngine(configured);
    const { startable, refused } = startableEngines(opts.toDict(), 'minion');
    for (const sentence of refused) log.error(sentence);
    for (const name of unknown) log.error(`The engine reactor has no option ${name}, which has no effect.`);
    const parts = startable.map(({ title, index }) => part(title, index));
    if (runsReactor(opts, 'minion')) parts.push(part('Engine(reactor)', REACTOR_INDEX));
    if (parts.length === 0) return;
    const packed = pack(opts.toDict());
    this.#supervisor = new Supervisor<EnginePart, ToEngine, never>({
      childScript: engineScript,
      startMessage: ({ index }) => ({
        type: 'start',
        index,
        opts: packed,
        surroundings: this.#surroundings(),
      }),
      read: (message): PartMessage | undefined => readFromEngine(message),
      onMessage: () => undefined,
      onLink: (_, link: Socket) =>
        void new RpcPeer(
          link,
          serviceHandlers(() => services),
        ),
      clock,
      log,
    });
    await this.#supervisor.start(parts);
  }

  /** Grains or pillar are others. */
  changed(): void {
    this.#supervisor?.broadcast({ type: 'surroundings', surroundings: this.#surroundings() });
  }

  async stop(): Promise<void> {
    await this.#supervisor?.stop();
  }

  #surroundings(): string {
    return packSurroundings(this.#deps.surroundings());
  }
}

function part(title: string, index: number): EnginePart {
  return { title: `salt-minion ${title}`, index, optional: { pauseMaxMs: PAUSE_MAX_MS } };
}
