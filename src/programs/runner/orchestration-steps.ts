/** What the steps of an orchestration are to the run, to its journal, and to whoever looks on. Not in Salt. */
import type { RunnerContext } from '../../plugins/shared/runner/runner.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import type { RunSteps, StepPlace } from '../../runtime/loader/run-steps.ts';
import { stateTag } from '../../runtime/state/state-tag.ts';
import { StepDisplay } from './step-display.ts';
import type { OrchestrationJournal } from '../../storage/orchestrations/journal.ts';

/**
 * The jobs of steps, kept before they are published or run: the part of the journal that publishing and running need.
 */
export type StepJobs = Pick<
  OrchestrationJournal,
  'takeJob' | 'hasJob' | 'keepJob' | 'forgetJobs' | 'runOf' | 'keepRun'
>;

/** Tells how far an orchestration is, and keeps it. */
export class OrchestrationSteps implements RunSteps {
  readonly #context: RunnerContext;
  /** What is kept of it. */
  readonly journal: OrchestrationJournal;
  /** What is shown of it. */
  readonly display: StepDisplay;

  constructor(context: RunnerContext, journal: OrchestrationJournal) {
    this.#context = context;
    this.journal = journal;
    this.display = new StepDisplay((text) => context.showStep(text));
  }

  known(low: Dict): Dict | undefined {
    const result = this.journal.result(stateTag(low), low);
    if (result === undefined) return undefined;
    const comment = pyStr(result.get('comment') ?? '');
    return result.set('comment', `${comment} (done in ${this.journal.jid}, not run again)`.trimStart());
  }

  async begin(low: Dict, place: StepPlace): Promise<void> {
    await this.#tell(low, { ...place, status: 'running' });
    this.display.begin(stateTag(low), `[${place.number}/${place.of}] ${titleOf(low)}`);
  }

  async end(low: Dict, result: Dict): Promise<void> {
    this.display.end(stateTag(low));
    this.journal.keepResult(stateTag(low), low, result);
    await this.#tell(low, { status: 'done', result: result.get('result') ?? null });
  }

  async #tell(low: Dict, more: Parameters<typeof dict>[0] & object): Promise<void> {
    const { jid } = this.#context;
    const [id, sls, state, fun, name] = ['__id__', '__sls__', 'state', 'fun', 'name'].map(
      (key) => low.get(key) ?? null,
    );
    await this.#context.fire(
      `salt/run/${jid}/progress`,
      dict({ jid, id, sls, function: `${pyStr(state ?? '')}.${pyStr(fun ?? '')}`, name, ...more }),
    );
  }
}

/** A step in a few words. */
function titleOf(low: Dict): string {
  const [state, fun, id] = ['state', 'fun', '__id__'].map((key) => pyStr(low.get(key) ?? ''));
  return `${state ?? ''}.${fun ?? ''}: ${id ?? ''}`;
}
