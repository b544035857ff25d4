/** Runs the reactions of a master: publishes jobs, and calls functions of the master itself. */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Value } from '../../python/values/value.ts';
import { MasterDownError } from '../../runtime/client/errors.ts';
import type { PublishOptions } from '../../runtime/client/job-publisher.ts';
import type { ReactionRunner } from './reactor.ts';
import type { SeenEvent } from './render-reactions.ts';
import { publishedArguments, type Step } from './step.ts';

/** Attempts to publish while the master's workers are away, and the pause between them. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/** What running needs. */
export interface MasterReactionsDeps {
  readonly publish: (options: PublishOptions) => Promise<unknown>;
  /** Whether the job cache knows of a job, or, for functions of the master, of its end. */
  readonly isKnownJob: (jid: string) => Promise<boolean>;
  readonly isReturned: (jid: string) => Promise<boolean>;
  /** Runs a runner or wheel function under the job id. */
  readonly runFunction: (step: Step) => Promise<void>;
  /** Runs an execution function on this machine. */
  readonly callHere: (step: Step) => Promise<Value>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reactions on the machine of a master. */
export class MasterReactions implements ReactionRunner {
  readonly #deps: MasterReactionsDeps;

  constructor(deps: MasterReactionsDeps) {
    this.#deps = deps;
  }

  async run(step: Step, event: SeenEvent, isAgain: boolean): Promise<void> {
    const { client } = step.reaction;
    try {
      if (client === 'local') await this.#publish(step, isAgain);
      else if (!isAgain) await this.#call(step);
      else if (client === 'caller' || !(await this.#deps.isReturned(step.jid)))
        this.#interrupted(step, event);
    } catch (error) {
      this.#failed(step, event, error);
    }
  }

  async #call(step: Step): Promise<void> {
    if (step.reaction.client === 'caller') await this.#deps.callHere(step);
    else await this.#deps.runFunction(step);
  }

  /** A request without an answer may have been served: the job cache knows. */
  async #publish({ reaction, jid }: Step, isAgain: boolean): Promise<void> {
    const { publish, isKnownJob, timeoutMs, clock } = this.#deps;
    const { tgt = '', tgtType = 'glob', ret = '', fields = new Map() } = reaction.target ?? {};
    const order = {
      tgt,
      tgtType,
      ret,
      fun: reaction.fun,
      arg: publishedArguments(reaction),
      jid,
      timeoutMs,
      kwargs: fields,
    };
    let mayBeThere = isAgain;
    for (let attempt = 1; ; attempt++) {
      if (mayBeThere && (await isKnownJob(jid))) return;
      try {
        await publish(order);
        return;
      } catch (error) {
        if (!(error instanceof MasterDownError) || attempt === ATTEMPTS) throw error;
        mayBeThere = true;
        await clock.sleep(PAUSE_MS);
      }
    }
  }

  #failed({ reaction: { client, id, fun, sls } }: Step, { tag }: SeenEvent, error: unknown): void {
    this.#deps.log.error(
      `Reactor '${id}' failed to execute ${client} '${fun}' (${sls}, event ${tag}): ${messageOf(error)}`,
      error,
    );
  }

  #interrupted({ reaction: { client, id, fun, sls }, jid }: Step, { tag }: SeenEvent): void {
    this.#deps.log.error(
      `Reactor '${id}' was interrupted while it executed ${client} '${fun}' (${sls}, event ${tag}, job ${jid}). It is not run a second time: see how far it came, and run it again if need be.`,
    );
  }
}
