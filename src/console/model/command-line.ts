/** The command line that does the same as a form. */
import { shellTarget, shellWord, type TypedTarget } from './targets.ts';

/** How a job is sent, as it was typed. */
export interface Sending {
  readonly test: boolean;
  readonly batch: string;
  readonly canary: string;
  readonly timeout: string;
}

/** What the form says. */
export interface FormCall {
  readonly kind: 'local' | 'runner' | 'wheel';
  readonly target: TypedTarget;
  readonly fun: string;
  /** Arguments in one line. */
  readonly args: string;
  readonly sending: Sending;
}

/** A command, or why there is none. */
export type SameCommand = { readonly command: string } | { readonly none: string };

/** The command that does the same. */
export function sameCommand({ kind, target, fun, args, sending }: FormCall): SameCommand {
  const words = args === '' ? '' : ` ${args}`;
  if (kind === 'runner') return { command: `salt-run ${fun}${words}` };
  if (kind === 'wheel') return { none: 'No command calls wheel functions; salt-api and the console do.' };
  const { batch, canary, timeout, test } = sending;
  if (batch !== '' && canary !== '')
    return { none: 'No single command: on the command line a canary has no batch behind it.' };
  const options = [
    batch === '' ? '' : ` -b ${shellWord(batch)}`,
    // the command stops after its last step, so all the others are one
    canary === '' ? '' : ` --canary=${shellWord(`${canary},100%`)}`,
    timeout === '' ? '' : ` -t ${shellWord(timeout)}`,
  ].join('');
  return {
    command: `salt${options} ${shellTarget(target)} ${fun}${words}${test ? ' test=True' : ''}`,
  };
}

/** What is wrong with how a job is sent; undefined when nothing is. */
export function sendingProblem({ timeout }: Sending): string | undefined {
  if (timeout === '' || (/^\d+(\.\d+)?$/.test(timeout) && Number(timeout) > 0)) return undefined;
  return `The timeout ${timeout} is no number of seconds above 0.`;
}
