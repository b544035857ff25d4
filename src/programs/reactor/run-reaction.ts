/** Runs the reactions of a master: publishes jobs, and calls functions of the master itself. */
import { messageOf } from '../../errors/errors.ts';
import type { RareLog } from '../../host/rare-lines.ts';
import type { Value } from '../../python/values/value.ts';
import type { PublishOptions } from '../../runtime/client/job-publisher.ts';
import type { ReactionRunner } from './reactor.ts';
import type { SeenEvent } from './render-reactions.ts';
import { publishedArguments, type Step } from './step.ts';

/** A job that a reaction asks for. */
export type ReactionOrder = PublishOptions & { readonly jid: string };

/** What running needs. */
export interface MasterReactionsDeps {
  /** Publishes a job after all that were asked for before it. */
  readonly publish: (order: ReactionOrder) => Promise<void>;
  /** As that, for a job that was perhaps published before the reactor was restarted: it is published once. */
  readonly publishOnce: (order: ReactionOrder) => Promise<void>;
  /** Whether the job cache knows of the end of a function of the master. */
  readonly isReturned: (jid: string) => Promise<boolean>;
  /** Runs a runner or wheel function under the job id. */
  readonly runFunction: (step: Step) => Promise<void>;
  /** Runs an execution function on this machine. */
  readonly callHere: (step: Step) => Promise<Value>;
  readonly timeoutMs: number;
  readonly log: RareLog;
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

  #publish({ reaction, jid }: Step, isAgain: boolean): Promise<void> {
    const { publish, publishOnce, timeoutMs } = this.#deps;
    const { tgt = '', tgtType = 'glob', ret = '', fields = new Map() } = reaction.target ?? {};
    const arg = publishedArguments(reaction);
    const order = { tgt, tgtType, ret, fun: reaction.fun, arg, jid, timeoutMs, kwargs: fields };
    return isAgain ? publishOnce(order) : publish(order);
  }

  #failed({ reaction: { client, id, fun, sls } }: Step, { tag }: SeenEvent, error: unknown): void {
    this.#deps.log
      .about(tag)
      .error(
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
