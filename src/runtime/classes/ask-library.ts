/** Asking a library in Python about one node, in a process that lives for one question. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { runProcess } from '../../host/process.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { programPath } from '../python-host/program-path.ts';
import { interpreterOf } from '../python-host/python-process.ts';

/** Longer a question may not take: the minion waits. */
const ANSWER_MS = 60_000;
/** Most that may be told of one node. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** What the interpreter is that most systems install such libraries for. */
const SYSTEM_INTERPRETER = '/usr/bin/python3';

/**
 * Asks a library.
 * @param name how it is called in errors
 * @param program the file beside the guest that asks it: JSON in, JSON out
 * @param opts the options of the one who asks: `python_executable`
 * @throws CommandExecutionError in the library's words, and when it is not installed
 */
export async function askLibrary(name: string, program: string, question: Dict, opts: Dict): Promise<Value> {
  const named = opts.get('python_executable');
  const interpreter = typeof named === 'string' && named !== '' ? interpreterOf(opts) : SYSTEM_INTERPRETER;
  const { retcode, stdout, stderr, timedOut, droppedBytes } = await runProcess(
    [interpreter, programPath(program)],
    { stdin: toJson(question), timeoutMs: ANSWER_MS, outputLimitBytes: ANSWER_BYTES_MAX, diesWithUs: true },
  );
  if (timedOut) throw new CommandExecutionError(`${name} did not answer within ${ANSWER_MS / 1000} seconds`);
  if (droppedBytes > 0)
    throw new CommandExecutionError(
      `${name} tells more than ${ANSWER_BYTES_MAX / 1024 / 1024} MiB of a node`,
    );
  const answer = retcode === 0 ? parseJson(stdout.toString('utf8')) : undefined;
  if (!isDict(answer))
    throw new CommandExecutionError(
      `${interpreter} ended with exit status ${retcode} when it was to ask ${name}: ${stderr.toString('utf8').trim().split('\n').at(-1) ?? ''}`,
    );
  const fault = answer.get('fault');
  if (fault !== undefined) throw new CommandExecutionError(pyStr(fault));
  return unpack(answer.get('data') ?? null);
}

/** Mappings come as lists of pairs below `d`, because their keys need not be text, and lists below `l`. */
function unpack(value: Value): Value {
  if (!isDict(value)) return value;
  const [list, pairs] = [value.get('l'), value.get('d')];
  if (Array.isArray(list)) return list.map(unpack);
  const made: Dict = new Map();
  for (const pair of Array.isArray(pairs) ? pairs : [])
    if (Array.isArray(pair)) made.set(unpack(pair[0] ?? null), unpack(pair[1] ?? null));
  return made;
}
