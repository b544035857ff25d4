/** The process of one engine of a minion. */
import { Socket } from 'node:net';
import type { MinionOptions } from '../../../config/minion-options.ts';
import { messageOf } from '../../../errors/errors.ts';
import { systemClock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { systemRandom } from '../../../host/random.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import { ExtensionsHere } from '../../../runtime/extensions/here.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { dropAllocatorSettings } from '../../../host/allocator.ts';
import { handleDebugSignals } from '../../daemon/debug-signals.ts';
import { daemonLogging } from '../../daemon/logging.ts';
import { LINK_FD } from '../../daemon/supervisor.ts';
import { busEvents } from '../../engines/bus-events.ts';
import { configuredEngines } from '../../engines/engine-list.ts';
import { runEngine } from '../../engines/run-engine.ts';
import type { EngineContext } from '../../../plugins/shared/engine/engine.ts';
import { minionSockets } from '../event-bus.ts';
import { remoteServices } from '../remote-services.ts';
import { MinionState } from '../state.ts';
import { workerModules } from '../worker-modules.ts';
import { readOptions, readSurroundings, readToEngine, REACTOR_INDEX, type ToEngine } from './messages.ts';
import { startMinionReactor } from './reactor.ts';

/** Time for an engine to come to its end; then its process ends with it. */
const STOP_MS = 3_000;

/** Runs this process as an engine. */
export function runMinionEngine(): void {
  dropAllocatorSettings(process.env);
  process.title = (process.argv[2] ?? 'salt-minion Engine').trim();
  let running: EngineProcess | undefined;
  const tell = (type: 'ready' | 'pong'): void => {
    if (process.connected) process.send?.({ type }, () => undefined);
  };
  const stop = async (): Promise<void> => {
    await running?.stop();
    process.exit(0);
  };
  process.on('message', (received) => {
    const message = readToEngine(received);
    if (message === undefined) return;
    if (message.type === 'ping') tell('pong');
    else if (message.type === 'stop') void stop();
    else if (message.type === 'surroundings') running?.see(message.surroundings);
    else {
      running = new EngineProcess(message);
      running.start().then(() => tell('ready'), fail);
    }
  });
  // the parent decides when we end: signals of the terminal go to it too
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  handleDebugSignals({ clock: systemClock, log: () => running?.log });
  process.on('disconnect', () => void stop());
}

function fail(error: unknown): void {
  process.stderr.write(`${process.title}: ${messageOf(error)}\n`);
  process.exit(1);
}

/** One engine at work. */
class EngineProcess {
  readonly #opts: MinionOptions;
  readonly #index: number;
  readonly log: Logger;
  readonly #state: MinionState;
  readonly #stop = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor({ opts: packed, index, surroundings }: Extract<ToEngine, { type: 'start' }>) {
    const opts = readOptions(packed);
    const { grains, pillar } = readSurroundings(surroundings);
    this.#opts = opts;
    this.#index = index;
    this.log = daemonLogging(opts, {
      name: 'salt.minion',
      daemon: false,
      fileOption: 'log_file',
      isPart: true,
    }).logger;
    const parts = { clock: systemClock, log: this.log };
    const custom = workerModules(new ExtensionsHere(), new Map(), parts);
    this.#state = new MinionState({ opts, ...parts, random: systemRandom, custom }, grains);
    this.#state.pillar = pillar;
    process.on('uncaughtException', (error) => {
      this.log.critical(`${process.title} ends after an unexpected error: ${error.message}`, error);
      process.exit(1);
    });
  }

  /** The grains and the pillar are these now. */
  see(packed: string): void {
    const { grains, pillar } = readSurroundings(packed);
    this.#state.grains = grains;
    this.#state.pillar = pillar;
  }

  async start(): Promise<void> {
    const functions = this.#functions();
    if (this.#index === REACTOR_INDEX) {
      const reactor = await startMinionReactor({
        opts: this.#opts,
        functions,
        forget: () => this.#state.reloadModules(),
        log: this.log,
      });
      this.#stop.signal.addEventListener('abort', () => void (this.#ended = reactor.stop()), { once: true });
      return;
    }
    const configured = configuredEngines(this.#opts.toDict(), 'minion').engines[this.#index];
    if (configured === undefined) throw new Error(`there is no engine number ${this.#index}`);
    const { ended } = runEngine(configured, this.#context(functions));
    this.#ended = ended;
    void ended.then((status) => {
      if (!this.#stop.signal.aborted) process.exit(status);
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.race([this.#ended, systemClock.sleep(STOP_MS)]);
  }

  /** Execution functions in this process, on behalf of the minion. */
  #functions(): () => ModuleContext {
    const services = remoteServices(
      new RpcPeer(new Socket({ fd: LINK_FD, readable: true, writable: true }), {}),
    );
    return () => this.#state.context({ jid: '', fun: 'engine', pub: new Map() }, services, this.#stop.signal);
  }

  #context(functions: () => ModuleContext): EngineContext {
    const state = this.#state;
    const [log, { signal }] = [this.log, this.#stop];
    const { pub: path } = minionSockets(this.#opts);
    const call: EngineContext['call'] = (fun, args = [], kwargs = new Map()) =>
      functions().functions.call(fun, args, kwargs);
    return {
      role: 'minion',
      id: state.id,
      opts: state.opts,
      get grains() {
        return state.grains;
      },
      get pillar() {
        return state.pillar;
      },
      clock: systemClock,
      log,
      signal,
      fire: async (tag, data) => (await call('event.send', [tag, data])) === true,
      events: (wanted = () => true) => busEvents({ path, clock: systemClock, log, signal }, wanted),
      call,
      functions,
    };
  }
}
