/** Top data that a command prints (3006.16 salt/tops/ext_nodes.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { runProcess } from '../../host/process.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { splitWords } from '../../python/shell-words.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { TopSource } from './top-source.ts';

/** Longer a command may not take: the minion waits. */
const COMMAND_TIMEOUT_MS = 60_000;
/** A list of SLS is small. */
const OUTPUT_BYTES_MAX = 1024 * 1024;
const ERROR_SHOWN_CHARS = 500;

/**
 * Makes the source: the words of `master_tops: {ext_nodes: COMMAND}` are run with the minion's id behind them, without
 * a shell, and print YAML with `classes`, a list or a mapping whose keys count, and perhaps `environment`. Salt compat:
 * words reach the command as they are; Salt puts quotes around those with blanks in them.
 */
export function extNodesTop(clock: Clock): TopSource {
  return async (settings, { minionId, log }) => {
    if (typeof settings !== 'string' || settings.trim() === '')
      throw new CommandExecutionError(
        'it needs a command: write `master_tops: {ext_nodes: /path/to/command}`',
      );
    if (minionId.startsWith('-'))
      throw new CommandExecutionError(
        `'${settings}' would take the id ${minionId} for an option, and is not run for it`,
      );
    const { retcode, stdout, stderr, timedOut, droppedBytes } = await runProcess(
      [...splitWords(settings), minionId],
      { timeoutMs: COMMAND_TIMEOUT_MS, outputLimitBytes: OUTPUT_BYTES_MAX, diesWithUs: true, clock },
    );
    if (timedOut)
      throw new CommandExecutionError(
        `'${settings}' was ended, because it took more than ${COMMAND_TIMEOUT_MS / 1000} seconds`,
      );
    if (retcode !== 0)
      throw new CommandExecutionError(
        `'${settings}' for ${minionId} ended with exit status ${retcode}: ${stderr.toString('utf8').trim().slice(-ERROR_SHOWN_CHARS)}`,
      );
    if (droppedBytes > 0)
      throw new CommandExecutionError(`'${settings}' printed more than ${OUTPUT_BYTES_MAX} bytes`);
    const data = loadYaml(stdout.toString('utf8'));
    if (!truthy(data)) log.info('master_tops ext_nodes call did not return any data');
    else if (!isDict(data))
      throw new CommandExecutionError(`'${settings}' for ${minionId} printed no mapping with classes`);
    return isDict(data) ? classesOf(data, log.info.bind(log)) : new Map();
  };
}

function classesOf(data: Dict, say: (line: string) => void): Dict {
  const classes = data.get('classes');
  const names: Value | undefined = isDict(classes) ? [...classes.keys()] : classes;
  if (!Array.isArray(names)) {
    say('master_tops ext_nodes call did not have a dictionary with a "classes" key.');
    return new Map();
  }
  return new Map<Value, Value>([[data.get('environment') ?? 'base', names]]);
}
