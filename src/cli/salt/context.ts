/** What every way of running a job has at hand. */
import { existsSync } from 'node:fs';
import type { Present } from '../../runtime/client/batch.ts';
import type { NoMinionsError } from '../../runtime/client/errors.ts';
import type { LocalClient, PublishOptions } from '../../runtime/client/local-client.ts';
import { outcomeReason, type Outcome } from '../../runtime/client/outcome.ts';
import type { WatchJobDeps, WatchPatience } from '../../runtime/client/watch-job.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { ClientProgram } from '../program/client-program.ts';
import type { Display } from '../terminal/display.ts';
import type { ExitCodes } from '../program/exit-codes.ts';
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
  /** What its outcome is worth. */
  readonly codes: ExitCodes;
}

/** A command that is connected to the master. */
export interface SaltRun extends SaltCommand {
  readonly client: LocalClient;
  readonly watch: WatchJobDeps;
}

/** How the command's returns are reported. */
export function reportOptions({ program, codes }: SaltCommand): ReportOptions {
  const { merged } = program;
  return {
    verbose: truthy(merged.get('verbose')),
    showTimeout: merged.get('show_timeout') !== false,
    summary: truthy(merged.get('cli_summary')),
    codes,
  };
}

/** The lines before the returns: `-v` and `--show-jid`. */
export function printHeader({ program, display }: SaltCommand, jid: string): void {
  const { merged } = program;
  // one document is all that standard output may hold then
  const say = (line: string): void =>
    truthy(merged.get('static')) ? display.error(line) : display.line(line);
  if (truthy(merged.get('verbose'))) {
    const text = `Executing job with jid ${jid}`;
    say(`${text}\n${'-'.repeat(text.length)}\n`);
  } else if (truthy(merged.get('show_jid'))) say(`jid: ${jid}`);
}

/**
 * Whether an error that leaves nothing else to print becomes a document of its own (`terminal/failure-line.ts`), so
 * that standard output holds no sentence in its place. Salt compat: Salt prints its sentence there.
 */
export function wantsErrorDocument({ display, codes }: SaltCommand): boolean {
  return codes.isStrict && display.chosen === 'json';
}

/** Says that a target matches nobody, and on standard error why it cannot be understood. */
export function sayNoMinions(command: SaltCommand, error: NoMinionsError): void {
  const { display } = command;
  if (wantsErrorDocument(command)) display.error(error.message);
  else display.line(error.message);
  const { tgt, tgtType } = command.request.publish;
  const fault = error.fault ?? strangeLetter(tgt, tgtType);
  if (fault !== undefined) display.error(`ERROR: The target cannot be understood: ${fault}`);
}

/** Where no master was found. Whoever names a minion's folder, or none, would look for the fault at the master. */
export function noPublisher(opts: ClientProgram['opts']): string {
  const file = String(opts.get('conf_file'));
  const hint = existsSync(file)
    ? ''
    : `, where it is by default: there is no ${file}; -c names the folder that the master's configuration is in`;
  return `Unable to connect to the salt master publisher at ${opts.get('sock_dir')}${hint}`;
}

/** Salt compat: a letter that means nothing before an `@` is a part of a name, of which there hardly is one. */
function strangeLetter(tgt: Value, tgtType: string): string | undefined {
  const word =
    typeof tgt === 'string' && tgtType === 'compound' ? /(?:^|[\s(])([A-Z])@/.exec(tgt)?.[1] : undefined;
  return word === undefined || 'GPIJLSENR'.includes(word)
    ? undefined
    : `${word}@ is no kind of target; there are G@ (grains), P@ (grains by regular expression), I@ (pillar), J@ (pillar by regular expression), L@ (list), S@ (network), E@ (regular expression) and N@ (nodegroup)`;
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
  command: SaltCommand | SaltRun,
  { unknown, unknownIds }: Pick<JobReport, 'unknown' | 'unknownIds'>,
): Promise<void> {
  if (unknown.size + unknownIds.length === 0) return;
  const { program, display } = command;
  const { functionHint, minionHint, functionsOf } = await import('./hints.ts');
  const hints: (string | undefined)[] = [];
  for (const [fun, id] of unknown) {
    const hint = await functionHint(fun);
    // only the minion knows what the site has added to it
    hints.push(
      hint ??
        ('watch' in command ? await functionHint(fun, await functionsOf(command.watch, id)) : undefined),
    );
  }
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
