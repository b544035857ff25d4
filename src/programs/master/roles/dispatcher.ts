/**
 * Spreads requests over the workers. One minion's requests always reach the same worker as long as that is well; a
 * worker that is away or shows no sign of life is left out until it does, so that it delays nobody but those it already
 * has.
 */
import { MASTER_FAILURE } from '../../../network/channel/master-failure.ts';
import type { Admission, RequestGate } from '../../../network/channel/request-gate.ts';
import type { WorkerAnswer, WorkerLink } from '../../../network/ipc/contracts/request-worker.ts';
import type { WorkerPlan, WorkersWanted } from '../worker-plan.ts';
import type { Clock, Timer } from '../../../host/clock.ts';
import type { IncomingRequest } from '../../../network/transport/transport.ts';
import { encode } from '../../../formats/wire/msgpack.ts';

/** Requests handed to workers or waiting for one; at more the port is not read until half are done. */
const UNDER_WAY_MAX = 20_000;
const UNDER_WAY_BYTES_MAX = 256 * 1024 * 1024;
/** How often workers that owe answers are asked for a sign of life. */
const CHECK_MS = 500;
/** A worker that has neither answered that nor anything else for so long gets no further requests. */
const SILENT_MS = 2_000;
/** A worker with no more than this under way answers at once. */
const FEW_PENDING = 4;
const FAILED = encode(MASTER_FAILURE, 'network');
/** A request, and the publish port of the transport that it came by; not set for the master's usual one. */
export interface DispatchedRequest extends IncomingRequest {
  readonly publishPort?: number;
}

/** A request on its way. */
interface Admitted extends DispatchedRequest {
  readonly admission: Admission;
}

interface Worker {
  readonly link: WorkerLink;
  pending: number;
  lastAnswerMs: number;
  /** When the ping that is not answered yet was sent. */
  pingedAtMs: number | undefined;
}

/** What a dispatcher needs. */
export interface DispatcherDeps {
  readonly plan: Pick<WorkerPlan, 'workersMax' | 'activeMax'>;
  /** Called when those that are there are not enough, once for each of the two. */
  readonly startWorkers: (wanted: WorkersWanted) => void;
  /** Which requests get to a worker at all. */
  readonly gate: Pick<RequestGate, 'admit'>;
  readonly clock: Clock;
  /** Stops and starts reading requests. */
  readonly setPaused: (paused: boolean) => void;
}

/** How full a dispatcher is. */
export interface DispatcherLoad {
  readonly underWay: number;
  readonly underWayMax: number;
  readonly underWayBytes: number;
  readonly underWayBytesMax: number;
  /** How often the request port was not read because of that. */
  readonly pauses: number;
  readonly workers: number;
  readonly silentWorkers: number;
}

/** Chooses the worker for each request and passes its reply back. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #workers: (Worker | undefined)[];
  readonly #active: number;
  readonly #timer: Timer;
  #waiting: Admitted[] = [];
  #whenIdle: (() => void)[] = [];
  #underWay = 0;
  #underWayBytes = 0;
  #isPaused = false;
  #pauses = 0;
  /** Which workers have been asked for besides the first. */
  #wanted: WorkersWanted | undefined;
  #checkedAtMs: number;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { workersMax, activeMax } = deps.plan;
    this.#workers = Array.from({ length: workersMax }, () => undefined);
    this.#active = activeMax;
    this.#checkedAtMs = deps.clock.monotonicMs();
    this.#timer = deps.clock.every(CHECK_MS, () => this.#check(), { background: true });
  }

  /** @param index the worker's number; one that is no worker's is refused with false */
  addWorker(index: number, link: WorkerLink): boolean {
    if (!Number.isInteger(index) || index < 0 || index >= this.#workers.length) return false;
    const lastAnswerMs = this.#deps.clock.monotonicMs();
    this.#workers[index] = { link, pending: 0, lastAnswerMs, pingedAtMs: undefined };
    for (const request of this.#waiting.splice(0)) void this.#forward(request);
    return true;
  }

  removeWorker(link: WorkerLink): void {
    const at = this.#workers.findIndex((worker) => worker?.link === link);
    if (at >= 0) this.#workers[at] = undefined;
  }

  dispatch(request: DispatchedRequest): void {
    const { from, body, reply, proven, publishPort = 0 } = request;
    const admission = this.#deps.gate.admit(body, from);
    if (Buffer.isBuffer(admission)) return reply(admission);
    this.#underWay++;
    this.#underWayBytes += body.length;
    this.#applyPressure();
    void this.#forward({ from, body, reply, proven, publishPort, admission });
  }

  get load(): DispatcherLoad {
    const workers = this.#workers.filter((worker) => worker !== undefined);
    return {
      underWay: this.#underWay,
      underWayMax: UNDER_WAY_MAX,
      underWayBytes: this.#underWayBytes,
      underWayBytesMax: UNDER_WAY_BYTES_MAX,
      pauses: this.#pauses,
      workers: workers.length,
      silentWorkers: workers.filter((worker) => this.#isSilent(worker)).length,
    };
  }

  /** Resolves when nothing is under way, or after `limitMs`. What comes meanwhile is served. */
  async drained(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    const limit = new AbortController();
    this.#whenIdle.push(() => limit.abort());
    await this.#deps.clock.sleep(limitMs, limit.signal);
  }

  close(): void {
    this.#timer.cancel();
  }

  async #forward(request: Admitted): Promise<void> {
    const { admission } = request;
    const worker = this.#pick(admission.id);
    if (worker === undefined) {
      this.#waiting.push({ ...request, body: Buffer.from(request.body) });
      return;
    }
    const sizeBytes = request.body.length;
    let answer: WorkerAnswer;
    worker.pending++;
    if (worker.pending > FEW_PENDING) this.#want('serving');
    try {
      const { from, body, publishPort = 0 } = request;
      answer = await worker.link.serve({ publishPort, standing: admission.standing, from, body });
      worker.lastAnswerMs = this.#deps.clock.monotonicMs();
    } catch {
      answer = { reply: FAILED, outcome: { kind: 'lost' } };
    }
    worker.pending--;
    admission.settle(answer.outcome);
    if (answer.outcome.kind === 'genuine') request.proven();
    request.reply(answer.reply);
    this.#underWay--;
    this.#underWayBytes -= sizeBytes;
    this.#applyPressure();
    if (this.#underWay === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  /** The worker of this minion; while that is not well the next one that is. */
  #pick(id: string | undefined): Worker | undefined {
    const slot = id === undefined ? this.#idlest() : spread(id) % this.#active;
    const count = this.#workers.length;
    let silent: Worker | undefined;
    for (let step = 0; step < count; step++) {
      const worker = this.#workers[this.#choice(slot, step)];
      if (worker === undefined) continue;
      if (!this.#isSilent(worker)) return worker;
      this.#want('all');
      silent ??= worker;
    }
    return silent;
  }

  #want(wanted: WorkersWanted): void {
    if (this.#wanted === wanted || this.#wanted === 'all') return;
    this.#wanted = wanted;
    this.#deps.startWorkers(wanted);
  }

  /** The worker to try at this step: the one of the slot, those that stand in, then the others that serve. */
  #choice(slot: number, step: number): number {
    const standIns = this.#workers.length - this.#active;
    if (step === 0) return slot;
    if (slot >= this.#active) return (slot + step) % this.#workers.length;
    return step <= standIns ? this.#active + step - 1 : (slot + step - standIns) % this.#active;
  }

  /**
   * What comes from nobody in particular goes to the first worker that has little to do, which is warm; when those that
   * serve are all busy, to whoever has least to do, so that an operator does not wait behind a storm of returns.
   */
  #idlest(): number {
    let best: number | undefined;
    for (const [index, worker] of this.#workers.entries()) {
      if (worker === undefined) continue;
      if (index < this.#active && worker.pending <= FEW_PENDING) return index;
      if (best === undefined || worker.pending < (this.#workers[best] as Worker).pending) best = index;
    }
    return best ?? 0;
  }

  #isSilent({ pingedAtMs, lastAnswerMs }: Worker): boolean {
    if (pingedAtMs === undefined || lastAnswerMs > pingedAtMs) return false;
    return this.#checkedAtMs - pingedAtMs >= SILENT_MS;
  }

  #check(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    // when we were held up ourselves, the others' silence means nothing
    const wasHeldUp = nowMs - this.#checkedAtMs > 2 * CHECK_MS;
    this.#checkedAtMs = nowMs;
    for (const worker of this.#workers) {
      if (worker === undefined) continue;
      if (worker.pingedAtMs === undefined) {
        if (worker.pending > 0) this.#ping(worker, nowMs);
      } else if (wasHeldUp) worker.pingedAtMs = nowMs;
      // it has been at one thing since the last look: others are not to wait for that
      else this.#want('serving');
    }
  }

  #ping(worker: Worker, nowMs: number): void {
    worker.pingedAtMs = nowMs;
    const answered = (): void => {
      worker.pingedAtMs = undefined;
      worker.lastAnswerMs = this.#deps.clock.monotonicMs();
    };
    worker.link.ping().then(answered, () => undefined);
  }

  #applyPressure(): void {
    const { setPaused } = this.#deps;
    if (this.#underWay > UNDER_WAY_MAX || this.#underWayBytes > UNDER_WAY_BYTES_MAX) {
      if (!this.#isPaused) this.#pauses++;
      this.#isPaused = true;
      setPaused(true);
    } else if (this.#underWay <= UNDER_WAY_MAX / 2 && this.#underWayBytes <= UNDER_WAY_BYTES_MAX / 2) {
      this.#isPaused = false;
      setPaused(false);
    }
  }
}

/** A number that is the same for the same id, and evenly spread over different ones (FNV-1a, mixed once more). */
function spread(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0;
}
