/**
 * Answers of a real Salt: one `salt-call` renders a file of ours that makes all calls, because each start costs more
 * than a second.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueFromJson, type CallAnswer } from '../support/module-calls.ts';
import { runDriver } from './real-driver.ts';

/** Python that makes plain JSON of values; `valueFromJson` reads it. Needs the modules base64 and collections.abc. */
export const PLAIN_VALUES = `def plain(value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"int": str(value)}
    if isinstance(value, float):
        return value if value != int(value) else {"float": repr(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, collections.abc.Mapping):
        return {"dict": [[plain(k), plain(v)] for k, v in value.items()]}
    if isinstance(value, (set, frozenset)):
        return [plain(v) for v in sorted(value, key=str)]
    if isinstance(value, (list, tuple)) or hasattr(value, "__iter__"):
        return [plain(v) for v in value]
    return str(value)
`;

/** Python that makes Salt's values again of what was written down: the reverse of `plain`, as far as calls need it. */
export const ORDINARY_VALUES = `def ordinary(value):
    if isinstance(value, dict) and "dict" in value:
        return collections.OrderedDict((ordinary(k), ordinary(v)) for k, v in value["dict"])
    if isinstance(value, list):
        return [ordinary(v) for v in value]
    return value
`;

/** A file for Salt's renderer `py`: calls what stands in the file beside it and writes down the answers. */
const DRIVER = `
import base64, collections.abc, json, os
from salt.minion import load_args_and_kwargs
from salt.utils.args import parse_input

${PLAIN_VALUES}
def answer(words):
    fun = words[0]
    if fun not in __salt__:
        return {"error": "'%s' is not available." % fun}
    try:
        args, kwargs = load_args_and_kwargs(
            __salt__[fun], parse_input(words[1:]), {})
        return {"value": plain(__salt__[fun](*args, **kwargs))}
    except Exception as exc:
        name = type(exc).__name__
        if name in ("CommandExecutionError", "SaltInvocationError", "CommandNotFoundError", "TypeError"):
            return {"error": str(exc)}
        return {"error": name + (": " + str(exc) if str(exc) else "")}

def run():
    os.umask(0o022)
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "calls.json")) as handle:
        calls = json.load(handle)
    answers = []
    for words in calls:
        os.chdir("/")
        answers.append(answer(words))
    with open(os.path.join(folder, "answers.json"), "w") as handle:
        json.dump(answers, handle)
    return {}
`;

/** How a group's minion differs from the others'. */
export interface MinionOptions {
  /** With `test: True`. */
  readonly test: boolean;
  /** Further lines of its configuration. */
  readonly minion?: readonly string[];
}

/** The same as lines of a configuration. */
export function optionLines({ test, minion = [] }: MinionOptions): string[] {
  return [...(test ? ['test: True'] : []), ...minion];
}

/** The minion's configuration for both sides; further lines take the place of those with the same key. */
export function minionConfig(folder: string, extra: readonly string[] = []): string {
  const keyOf = (line: string): string => line.split(':')[0] ?? '';
  const given = new Set(extra.map(keyOf));
  const lines = [
    'id: compared',
    `root_dir: ${folder}`,
    `cachedir: ${folder}/cache`,
    `pki_dir: ${folder}/pki`,
    `sock_dir: ${folder}/run`,
    `log_file: ${folder}/log`,
    `extension_modules: ${folder}/extmods`,
    `file_roots: {base: [${folder}/srv]}`,
    `pillar_roots: {base: [${folder}/pillar]}`,
    'default_include: none/*.conf',
    'file_client: local',
    `hosts.file: ${folder}/hosts`,
    'enable_fqdns_grains: False',
    'enable_gpu_grains: False',
  ];
  return [...lines.filter((line) => !given.has(keyOf(line))), ...extra, ''].join('\n');
}

/**
 * Makes calls with a real Salt, in order, in one process.
 * @param folder where the minion's files go
 * @param calls the words of each
 */
export async function realAnswers(
  folder: string,
  calls: readonly (readonly string[])[],
  options: MinionOptions,
): Promise<CallAnswer[]> {
  const config = minionConfig(folder, optionLines(options));
  const { code, stdout, stderr } = await runDriver(folder, {
    driver: DRIVER,
    config,
    input: ['calls.json', calls],
  });
  try {
    const raw = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as {
      value?: unknown;
      error?: string;
    }[];
    return raw.map((answer) =>
      answer.error === undefined ? { value: valueFromJson(answer.value) } : { error: answer.error },
    );
  } catch (error) {
    throw new Error(`the real salt-call ended with ${code}: ${stdout}${stderr}`, { cause: error });
  }
}
