/** `salt-cp` (salt/cli/cp.py, 3006.16). */
import { tellError } from '../terminal/failure-line.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import { LocalClient } from '../../runtime/client/local-client.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { logIn } from '../program/login.ts';
import { openClientProgram, type ClientProgram } from '../program/client-program.ts';
import { Display } from '../terminal/display.ts';
import { formatHelp, formatUsageError } from '../command-line/help.ts';
import type { CommandIo } from '../terminal/io.ts';
import type { Waits } from '../../runtime/client/waits.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { saltCpProgram } from '../options/salt-cp.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { terminalColumns } from '../terminal/terminal.ts';
import { copyInChunks, copyWhole, type Send } from './copy.ts';
import { sendJob } from './send-job.ts';
import { SourceError, sourcePath } from './sources.ts';

const EX_USAGE = 64;
const DEFAULT_CHUNK_BYTES = 98_304;
/** The options that name a target type. */
const TARGET_TYPES = ['pcre', 'list', 'grain', 'grain_pcre', 'nodegroup', 'range'] as const;

/** Runs the command. @returns the exit code */
export async function runSaltCp(argv: readonly string[], streams: CommandIo): Promise<number> {
  const { waits, io } = withWaitingLine(streams, systemClock);
  const parsed = await prepareCommandLine(saltCpProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.args.length < 2) {
    io.stdout.write(formatHelp(saltCpProgram, terminalColumns(io.stdout, io.env), io.env));
    io.stderr.write(formatUsageError(saltCpProgram, 'Insufficient arguments'));
    return EX_USAGE;
  }
  const program = await openClientProgram(parsed, io, 'salt.client', 'salt-cp');
  try {
    return await copy(parsed, program, { io, waits });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
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
  const display = new Display(merged, io, logging.logger, 'cp.recv');
  const [target = '', ...words] = parsed.args;
  const dest = words.pop() ?? '';
  const sources = words.map(sourcePath);
  const client = await LocalClient.connect({ opts, env: io.env, clock: systemClock, random: systemRandom });
  try {
    await logIn(client, program, io);
    const parts = {
      client,
      opts,
      clock: systemClock,
      waits,
      patience: patienceOf(merged),
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
    // Salt compat: Salt ends with 0 whatever came of it
    return merged.get('exit_codes') === 'strict' && !isAllWell(report) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    display.line(error.message);
    tellError(io, error);
    if (error.fault !== undefined) display.error(`ERROR: The target cannot be understood: ${error.fault}`);
    return merged.get('exit_codes') === 'strict' ? 2 : 0;
  } finally {
    client.close();
  }
}

function targetOf(
  { merged, logging }: ClientProgram,
  text: string,
): { readonly tgt: Value; readonly tgtType: string } {
  const tgtType = TARGET_TYPES.find((name) => merged.get(name) === true) ?? 'glob';
  const list = text.includes(',') ? text.split(',') : text.split(/\s+/).filter((word) => word !== '');
  const expanded = expandTargetNodegroups(
    tgtType === 'list' ? list : text,
    tgtType,
    nodegroupsOf(merged.get('nodegroups')),
    String(merged.get('conf_file')),
  );
  for (const fault of expanded.faults) logging.logger.error(fault.message);
  return { tgt: expanded.tgt, tgtType: expanded.tgtType };
}

function patienceOf(merged: Dict): { readonly timeoutMs: number; readonly gatherMs: number } {
  const timeout = toNumber(merged.get('timeout')) ?? 5;
  const gather = toNumber(merged.get('gather_job_timeout')) ?? 10;
  return { timeoutMs: (timeout > 0 ? timeout : 5) * 1000, gatherMs: gather * 1000 };
}

function isAllWell(report: Dict): boolean {
  const values = [...report.values()];
  return (
    values.length > 0 &&
    values.every((paths) => isDict(paths) && [...paths.values()].every((value) => value === true))
  );
}
