/**
 * Programs that end when the process that has started them ends, however that comes: with SIGKILL nobody is left to end
 * them. Linux does it (`PR_SET_PDEATHSIG`), and util-linux `setpriv` asks for it before it becomes the program. What
 * such a program has started itself loses its pipes, and ends by that, as git's helpers do.
 */
import { findTrusted, type LaunchPlan } from './credentials.ts';
import { findProgram, isExecutable } from './which.ts';

/**
 * The signal: nothing can be in a state that it would have to put in order first, because it may be killed at any time
 * anyway.
 */
const WORDS = ['--pdeathsig', 'KILL', '--'];

/** Whether and how this machine can do it: asked once for each process. */
export class DeathSignal {
  readonly #works: (setpriv: string) => Promise<boolean>;
  #helper: Promise<string | undefined> | undefined;

  /** @param works tries `setpriv --pdeathsig`, which versions before 2.33 do not know */
  constructor(works: (argv: readonly string[]) => Promise<boolean>) {
    this.#works = (setpriv) => works([setpriv, ...WORDS, '/bin/true']);
  }

  /**
   * The plan with the helper in front; as it is where the machine cannot do it, or somebody else is to run the program.
   */
  async applied(plan: LaunchPlan): Promise<LaunchPlan> {
    // a program that cannot be started is to be told of by its own name
    if (plan.uid !== undefined || plan.helpers.length > 0 || !isStartable(plan)) return plan;
    const setpriv = await (this.#helper ??= this.#find());
    return setpriv === undefined ? plan : { ...plan, argv: [setpriv, ...WORDS, ...plan.argv] };
  }

  async #find(): Promise<string | undefined> {
    const setpriv = process.platform === 'linux' ? findTrusted('setpriv') : undefined;
    return setpriv !== undefined && (await this.#works(setpriv)) ? setpriv : undefined;
  }
}

function isStartable({ program, env }: LaunchPlan): boolean {
  if (!program.includes('/'))
    return env.get('PATH') === process.env['PATH'] && findProgram(program) !== undefined;
  return program.startsWith('/') && isExecutable(program);
}
