/**
 * Asking reclass, the site's own installation of it, for one node (3006.16 salt/utils/reclass.py): its library is Python, and is
 * called as Salt calls it, in a process that lives for one question.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { runProcess } from '../../host/process.ts';
import { programPath } from '../python-host/program-path.ts';
import { interpreterOf } from '../python-host/python-process.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

const PROGRAM = 'brine_reclass.py';
/** Longer a question may not take: the minion waits. */
const ANSWER_MS = 60_000;
/** Most that may be told of one node. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** What the interpreter is that most systems install reclass for. */
const SYSTEM_INTERPRETER = '/usr/bin/python3';

/** One question. */
export interface ReclassQuestion {
  readonly fun: 'top' | 'ext_pillar';
  readonly minionId: string;
  /** The pillar so far, for `propagate_pillar_data_to_reclass`. */
  readonly pillar: Dict;
  /** The settings behind `reclass` in the configuration. */
  readonly settings: Dict;
  /** The options of the one who asks: `file_roots`, `python_executable`. */
  readonly opts: Dict;
}

/** @throws CommandExecutionError in reclass' words, and when it is not installed */
export async function askReclass({ fun, minionId, pillar, settings, opts }: ReclassQuestion): Promise<Value> {
  const given = new Map(settings);
  const source = given.get('reclass_source_path');
  given.delete('reclass_source_path');
  const inventory = given.get('inventory_base_uri') ?? firstRoot(opts);
  if (inventory !== undefined) given.set('inventory_base_uri', inventory);
  const named = opts.get('python_executable');
  const interpreter = typeof named === 'string' && named !== '' ? interpreterOf(opts) : SYSTEM_INTERPRETER;
  const { retcode, stdout, stderr, timedOut, droppedBytes } = await runProcess(
    [interpreter, programPath(PROGRAM)],
    {
      stdin: toJson(
        new Map<Value, Value>([
          ['fun', fun],
          ['id', minionId],
          ['pillar', propagates(given) ? pillar : new Map()],
          ['options', given],
          ['source', source ?? null],
        ]),
      ),
      timeoutMs: ANSWER_MS,
      outputLimitBytes: ANSWER_BYTES_MAX,
    },
  );
  if (timedOut) throw new CommandExecutionError(`reclass did not answer within ${ANSWER_MS / 1000} seconds`);
  if (droppedBytes > 0)
    throw new CommandExecutionError(
      `reclass tells more than ${ANSWER_BYTES_MAX / 1024 / 1024} MiB of ${minionId}`,
    );
  const answer = retcode === 0 ? parseJson(stdout.toString('utf8')) : undefined;
  if (!isDict(answer))
    throw new CommandExecutionError(
      `${interpreter} ended with exit status ${retcode} when it was to ask reclass: ${stderr.toString('utf8').trim().split('\n').at(-1) ?? ''}`,
    );
  const fault = answer.get('fault');
  if (fault !== undefined) throw new CommandExecutionError(pyStr(fault));
  return unpack(answer.get('data') ?? null);
}

function propagates(settings: Dict): boolean {
  return settings.get('propagate_pillar_data_to_reclass') === true;
}

function firstRoot(opts: Dict): Value | undefined {
  const roots = opts.get('file_roots');
  const base = isDict(roots) ? roots.get('base') : undefined;
  return Array.isArray(base) ? base[0] : undefined;
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
