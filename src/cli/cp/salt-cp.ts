/** `salt-cp` (salt/cli/cp.py, 3006.16). */
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import { LocalClient } from '../../runtime/client/local-client.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { checkLogin, logIn } from '../program/login.ts';
import { openClientProgram, type ClientProgram } from '../program/client-program.ts';
import { ExitCodes, exitCodeMode, jobOutcome } from '../program/exit-codes.ts';
import { refuseUnknownOutputter } from '../program/outputter-check.ts';
import { BrineError, UsageError } from '../../errors/errors.ts';
import { Display, OutputFileError } from '../terminal/display.ts';
import { sayIncomplete, sayUsageError } from '../program/usage.ts';
import type { CommandIo } from '../terminal/io.ts';
import type { Waits } from '../../runtime/client/waits.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { saltCpProgram } from '../options/salt-cp.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { splitIds } from '../command-line/arguments.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { copyInChunks, copyWhole, type Send } from './copy.ts';
import { sendJob } from './send-job.ts';
import { requireSources, SourceError, sourcePath } from './sources.ts';

const DEFAULT_CHUNK_BYTES = 98_304;
/** The options that name a target type. */
const TARGET_TYPES = ['pcre', 'list', 'grain', 'grain_pcre', 'nodegroup', 'range'] as const;

/** Runs the command. @returns the exit code */
export async function runSaltCp(argv: readonly string[], streams: CommandIo): Promise<number> {
  const { waits, io } = withWaitingLine(streams, systemClock);
  const parsed = await prepareCommandLine(saltCpProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.args.length < 3)
    return sayIncomplete(saltCpProgram, 'Insufficient arguments: a target, what to copy and where to.', io);
  const program = await openClientProgram(parsed, io, 'salt.client', 'salt-cp');
  try {
    return await copy(parsed, program, { io, waits });
  } catch (error) {
    if (error instanceof UsageError) return sayUsageError(saltCpProgram, error, io);
    if (!(error instanceof SourceError)) throw error;
    tellError(io, error);
    io[error.stream].write(`${error.message}\n`);
    return error.exitCode;
  } finally {
    program.logging.close();
  }
}

async function copy(
  parsed: ParsedOptions,
  program: ClientProgram,
  { io, waits }: { readonly io: CommandIo; readonly waits: Waits },
): Promise<number> {
  const { opts, merged, logging } = program;
  const codes = new ExitCodes(exitCodeMode(parsed, merged, io.env), 'cp');
  if (codes.isStrict) refuseUnknownOutputter(parsed, merged);
  await checkLogin(program);
  const display = new Display(merged, io, logging.logger, 'cp.recv');
  const [target = '', ...words] = parsed.args;
  const dest = words.pop() ?? '';
  const sources = words.map(sourcePath);
  if (codes.isStrict) requireSources(sources);
  const silent = new Set<string>();
  let client: LocalClient | undefined;
  try {
    client = await LocalClient.connect({ opts, env: io.env, clock: systemClock, random: systemRandom });
    await logIn(client, program, io);
    const parts = {
      client,
      opts,
      clock: systemClock,
      waits,
      patience: patienceOf(merged),
      lost: (id: string): void => void silent.add(id),
      ...targetOf(program, target),
    };
    const send: Send = (fun, args) => sendJob(parts, fun, args);
    const report = truthy(merged.get('chunked'))
      ? await copyInChunks(send, sources, dest, {
          chunkBytes: Math.max(1, toNumber(merged.get('salt_cp_chunk_size')) ?? DEFAULT_CHUNK_BYTES),
          gzip: truthy(merged.get('gzip')),
        })
      : await copyWhole(send, sources, dest);
    await display.value(report);
    const failed = [...report].filter(([id, paths]) => !silent.has(String(id)) && !isCopied(paths));
    for (const [id] of failed) {
      const message = 'Not every file arrived.';
      tellFailure(io, { code: 'minion-failed', message, minion: String(id) });
    }
    // Salt compat: Salt ends with 0 whatever came of it
    return codes.of(jobOutcome({ returned: report.size, failed: failed.length, silent: silent.size }));
  } catch (error) {
    if (!(error instanceof BrineError) || isOfItsOwn(error)) throw error;
    tellError(io, error);
    const isDocument = codes.isStrict && display.chosen === 'json';
    if (error instanceof NoMinionsError && !isDocument) display.line(error.message);
    else display.error(error.message);
    if (error instanceof NoMinionsError && error.fault !== undefined)
      display.error(`ERROR: The target cannot be understood: ${error.fault}`);
    return codes.ofError(error);
  } finally {
    client?.close();
  }
}

/** Errors that say all themselves, with their own exit code. */
function isOfItsOwn(error: BrineError): boolean {
  return error instanceof SourceError || error instanceof OutputFileError || error instanceof UsageError;
}

/** Whether all files of a minion have arrived. */
function isCopied(paths: Value): boolean {
  return isDict(paths) && paths.size > 0 && [...paths.values()].every((value) => value === true);
}

function targetOf(
  { merged }: ClientProgram,
  text: string,
): { readonly tgt: Value; readonly tgtType: string } {
  const tgtType = TARGET_TYPES.find((name) => merged.get(name) === true) ?? 'glob';
  return expandTargetNodegroups(
    tgtType === 'list' ? splitIds(text) : text,
    tgtType,
    nodegroupsOf(merged.get('nodegroups')),
    String(merged.get('conf_file')),
  );
}

function patienceOf(merged: Dict): { readonly timeoutMs: number; readonly gatherMs: number } {
  const timeout = toNumber(merged.get('timeout')) ?? 5;
  const gather = toNumber(merged.get('gather_job_timeout')) ?? 10;
  return { timeoutMs: (timeout > 0 ? timeout : 5) * 1000, gatherMs: gather * 1000 };
}
