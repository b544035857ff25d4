/** The master beside a syndic: publishing on it, and its event bus, which comes back by itself. */
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { JobPublisher, type PublishedJob, type PublishOptions } from '../../runtime/client/job-publisher.ts';
import { messageOf, UnreachableError } from '../../errors/errors.ts';
import { EventBusReader } from '../../network/events/bus-client.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';

/** What the connection to the master below needs. */
export interface MasterBelowDeps {
  readonly opts: MasterOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onEvent: (event: BusEvent) => void;
  /** The bus is read from now on; what was fired before has not been heard. */
  readonly onBus: () => void;
}

const RECONNECT_MS = { min: 50, max: 2_000 };
/** A master that restarts is waited for so long before a job is refused. */
const RESTART_MS = 2_000;

/** Publishes on the master beside the syndic and keeps a connection to its event bus. */
export class MasterBelow {
  readonly #deps: MasterBelowDeps;
  readonly #requests: JobPublisher;
  readonly #stop = new AbortController();
  #reader: EventBusReader | undefined;
  #waiting: (() => void)[] = [];

  constructor(deps: MasterBelowDeps) {
    this.#deps = deps;
    this.#requests = new JobPublisher(deps);
  }

  /** Whether its event bus is read. */
  get isUp(): boolean {
    return this.#reader !== undefined;
  }

  /** Reads the bus until this is closed. */
  open(): void {
    void this.#connect();
  }

  /** @throws ClientError, NoMinionsError, UnreachableError when the master does not run */
  async publish(options: PublishOptions): Promise<PublishedJob> {
    if (!this.isUp) await this.#untilUp();
    return this.#requests.publish(options);
  }

  close(): void {
    this.#stop.abort();
    this.#reader?.close();
    this.#requests.close();
  }

  async #untilUp(): Promise<void> {
    const { clock } = this.#deps;
    await new Promise<void>((resolve) => {
      const timer = clock.after(RESTART_MS, resolve, { background: true });
      this.#waiting.push(() => {
        timer.cancel();
        resolve();
      });
    });
    if (!this.isUp) throw new UnreachableError('the master beside the syndic does not run');
  }

  async #connect(): Promise<void> {
    const { opts, clock, log, onBus, onEvent } = this.#deps;
    const { eventPub } = masterSockets(opts);
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      try {
        this.#reader = await EventBusReader.connect(
          eventPub,
          () => true,
          onEvent,
          () => this.#lost(),
        );
        if (this.#stop.signal.aborted) return this.#reader.close();
        this.#requests.open();
        if (failures > 0) log.info('The event bus of the master beside this syndic is read.');
        onBus();
        for (const wake of this.#waiting.splice(0)) wake();
        return;
      } catch (error) {
        if (failures === 0)
          log.warning(`The master beside this syndic does not run yet; waiting for it: ${messageOf(error)}`);
        await clock.sleep(
          Math.min(RECONNECT_MS.max, RECONNECT_MS.min * 2 ** Math.min(failures, 16)),
          this.#stop.signal,
        );
      }
    }
  }

  #lost(): void {
    this.#reader = undefined;
    if (this.#stop.signal.aborted) return;
    this.#deps.log.warning('The event bus of the master beside this syndic has gone; waiting for it.');
    void this.#connect();
  }
}
