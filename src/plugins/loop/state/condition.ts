/** The condition of `loop.until`: an expression of Python, of which only Python can say whether it is true. */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { findProgram } from '../../../host/which.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, PyObject, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

/** What the condition may name besides the arguments; each is handed over only where it is named. */
const FACTS = ['__grains__', '__opts__', '__pillar__'] as const;

/**
 * The names are data, and never code: `literal_eval` runs nothing. What the condition prints is no part of the answer.
 */
const PROGRAM = `import ast, contextlib, json, sys, traceback
names = ast.literal_eval(NAMES)
names.update(json=json)
try:
    with contextlib.redirect_stdout(sys.stderr):
        answer = {"met": bool(eval(names["condition"], {}, names))}
except Exception as error:
    lines = traceback.format_exception_only(type(error), error)
    answer = {"type": type(error).__name__, "message": str(error), "trace": "".join(lines)}
print(json.dumps(answer))
`;

/** The Python that tells the truth of conditions. @returns undefined where there is none */
export function pythonOf(ctx: ModuleContext): string | undefined {
  return findProgram(pyStr(ctx.grains.get('pythonexecutable') ?? 'python3'));
}

/** The value as one that Python reads as a literal: no mapping but `dict`, and the text of what is none. */
function literal(value: Value): Value {
  if (Array.isArray(value)) return value.map((one) => literal(one));
  if (isDict(value)) return new Map([...value].map(([key, one]) => [literal(key), literal(one)]));
  return value instanceof PyObject ? value.str : value;
}

/**
 * Says whether a condition is met.
 * @param names what it may name: `m_ret`, the state's arguments
 * @throws PythonError what the expression throws
 * @throws CommandExecutionError where Python gives no answer
 */
export async function isMet(
  ctx: ModuleContext,
  python: string,
  condition: Value,
  names: Dict,
): Promise<boolean> {
  const known = new Map(names).set('condition', condition);
  const facts = { __grains__: ctx.grains, __opts__: ctx.opts, __pillar__: ctx.pillar };
  for (const fact of FACTS) if (pyStr(condition).includes(fact)) known.set(fact, facts[fact]);
  const code = PROGRAM.replace('NAMES', () => pyRepr(pyRepr(literal(known))));
  const quiet = dict({ output_loglevel: 'quiet' });
  const ended = await ctx.functions.call('cmd.exec_code_all', [python, code], quiet);
  const field = (from: Value, key: string): Value => (isDict(from) ? (from.get(key) ?? null) : null);
  let answer: Value;
  try {
    answer = parseJson(pyStr(field(ended, 'stdout')));
  } catch (error) {
    const said = pyStr(field(ended, 'stderr')) || messageOf(error);
    throw new CommandExecutionError(`${python} did not say whether the condition is met: ${said}`);
  }
  const type = field(answer, 'type');
  if (type === null) return truthy(field(answer, 'met'));
  const trace = `Traceback (most recent call last):\n${pyStr(field(answer, 'trace'))}`;
  throw new PythonError(pyStr(type), pyStr(field(answer, 'message')), trace);
}
