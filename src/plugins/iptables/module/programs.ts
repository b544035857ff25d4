/** Running `iptables` and its kin. Follows 3006.16 salt/modules/iptables.py. */
import { findProgram } from '../../../host/which.ts';
import { splitWords } from '../../../python/shell-words.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll, runStdout, type Ended } from '../../shared/program.ts';

/**
 * The path of the program for a family of addresses: `ipv6`, or else IPv4.
 * @throws CommandExecutionError where it is not installed
 */
export function iptablesPath(family: string): string {
  return programPath(family === 'ipv6' ? 'ip6tables' : 'iptables');
}

/** Why there are no functions for iptables here. */
export function withoutIptables(): string | undefined {
  return findProgram('iptables') === undefined
    ? 'The iptables execution module cannot be loaded: iptables not installed.'
    : undefined;
}

/** `--wait` where the program knows it, so that two changes at a time do not fail. */
export async function waitOption(ctx: ModuleContext, family: string): Promise<string> {
  const help = await runStdout(ctx, [iptablesPath(family), '--help'], { output_loglevel: 'quiet' });
  return help.includes('--wait') ? '--wait' : '';
}

/** Runs the program with the words of a text, as a shell would see them. */
export function runIptables(ctx: ModuleContext, family: string, text: string): Promise<Ended> {
  return runAll(ctx, [iptablesPath(family), ...splitWords(text)]);
}

/** The same for a change, which waits for others; returns what the program complains of. */
export async function changeIptables(ctx: ModuleContext, family: string, text: string): Promise<string> {
  return (await runIptables(ctx, family, `${await waitOption(ctx, family)} ${text}`)).stderr;
}

/** The rules of now, in the form in which they are saved. */
export function printedRules(
  ctx: ModuleContext,
  family: string,
  words: readonly string[] = [],
): Promise<string> {
  return runStdout(ctx, [`${iptablesPath(family)}-save`, ...words]);
}
