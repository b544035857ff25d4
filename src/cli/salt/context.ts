/** What every way of running a job has at hand. */
import type { Present } from '../../runtime/client/batch.ts';
import type { NoMinionsError } from '../../runtime/client/errors.ts';
import type { LocalClient, PublishOptions } from '../../runtime/client/local-client.ts';
import { outcomeReason, type Outcome } from '../../runtime/client/outcome.ts';
import type { WatchJobDeps, WatchPatience } from '../../runtime/client/watch-job.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import type { ClientProgram } from '../program/client-program.ts';
import type { Display } from '../terminal/display.ts';
import type { CommandIo } from '../terminal/io.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import type { WaitingLine } from '../terminal/waiting-line.ts';
import type { InterruptHandler } from './interrupt.ts';
import type { JobReport, ReportOptions } from './report.ts';
import type { SaltRequest } from './request.ts';

/** A command that has been read, before it talks to the master. */
export interface SaltCommand {
  readonly parsed: ParsedOptions;
  readonly program: ClientProgram;
  readonly io: CommandIo;
  readonly request: SaltRequest;
  readonly display: Display;
  readonly patience: WatchPatience;
  readonly interrupt: InterruptHandler;
  readonly waits: WaitingLine;
  /** `--exit-codes=strict`. */
  readonly isStrict: boolean;
}

/** A command that is connected to the master. */
export interface SaltRun extends SaltCommand {
  readonly client: LocalClient;
  readonly watch: WatchJobDeps;
}

/** How the command's returns are reported. */
export function reportOptions({ program, display, isStrict }: SaltCommand): ReportOptions {
  const { merged } = program;
  return {
    verbose: truthy(merged.get('verbose')),
    showTimeout: merged.get('show_timeout') !== false,
    summary: truthy(merged.get('cli_summary')) && display.chosen === undefined,
    isStrict,
  };
}

/** The lines before the returns: `-v` and `--show-jid`. */
export function printHeader({ program, display }: SaltCommand, jid: string): void {
  if (truthy(program.merged.get('verbose'))) {
    const text = `Executing job with jid ${jid}`;
    display.line(`${text}\n${'-'.repeat(text.length)}\n`);
  } else if (truthy(program.merged.get('show_jid'))) display.line(`jid: ${jid}`);
}

/** Says that a target matches nobody, and on standard error why it cannot be understood. */
export function sayNoMinions(display: Display, error: NoMinionsError): void {
  display.line(error.message);
  if (error.fault !== undefined) display.error(`ERROR: The target cannot be understood: ${error.fault}`);
}

/** Says who does not answer, in Salt's words, and below them why. */
export function sayAbsent(display: Display, { silent, outcomes }: Present): void {
  for (const id of silent) {
    display.line(`Minion ${id} did not respond. No job will be sent.`);
    sayReason(display, id, outcomes.get(id));
  }
}

/** Says why a minion was silent, below the line that says that it was; nothing when nobody knows. */
export function sayReason(display: Display, id: string, outcome: Outcome | undefined): void {
  const reason = outcome === undefined ? '' : outcomeReason(id, outcome);
  if (reason !== '') display.line(`    ${reason}`);
}

/** Says on standard error what the person may have meant. */
export async function printHints(
  { program, display }: SaltCommand,
  { unknown, unknownIds }: Pick<JobReport, 'unknown' | 'unknownIds'>,
): Promise<void> {
  if (unknown.size === 0 && unknownIds.length === 0) return;
  const { functionHint, minionHint } = await import('./hints.ts');
  const hints = await Promise.all([...unknown].map(functionHint));
  hints.push(...unknownIds.map((id) => minionHint(program.opts, id)));
  for (const hint of hints) if (hint !== undefined) display.error(hint);
}

/** The job as it is published on other minions than its target. */
export function publishOn(request: SaltRequest, ids: readonly string[]): PublishOptions {
  return { ...request.publish, tgt: [...ids], tgtType: 'list' };
}

/** A number of the configuration or the command line; 0 when there is none. */
export function numberOption(merged: Dict, name: string): number {
  const value = Number(merged.get(name) ?? 0);
  return Number.isFinite(value) ? value : 0;
}
