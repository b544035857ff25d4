/** State runs that were recorded on a real Salt: the cases, how ours are made, and what of a run can be compared. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/errors/errors.ts';
import { ModuleRegistry } from '../../src/runtime/loader/registry.ts';
import { STATE_TABLE } from '../../src/plugins/registry/state/table.generated.ts';
import { parseJson } from '../../src/formats/json/parse.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../src/python/values/value.ts';
import { fakeContext } from './module-context.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** The folder of cases, of the SLS they run, and of what a real Salt has given. */
export const STATE_RUNS = join(ROOT, 'test/fixtures/state-runs');

/** One call. `@` in arguments stands for {@link STATE_RUNS}. */
export interface RunCase {
  readonly name: string;
  readonly fun: string;
  readonly args: Value[];
  readonly kwargs: Dict;
  /** Options over those of {@link runOptions}. */
  readonly opts: Dict;
  readonly grains: Dict;
}

/** What came of a call: what it returned or the message of what it threw, and the return code. */
export interface RunOutcome {
  readonly value?: Value;
  readonly error?: string;
  readonly retcode: number;
}

/** All cases. */
export function readRunCases(): RunCase[] {
  const text = readFileSync(join(STATE_RUNS, 'cases.json'), 'utf8').replaceAll('"@/', `"${STATE_RUNS}/`);
  const cases = parseJson(text) as Dict[];
  return cases.map((given) => ({
    name: pyStr(given.get('name') ?? ''),
    fun: pyStr(given.get('fun') ?? ''),
    args: (given.get('args') ?? []) as Value[],
    kwargs: (given.get('kwargs') ?? new Map()) as Dict,
    opts: (given.get('opts') ?? new Map()) as Dict,
    grains: (given.get('grains') ?? new Map()) as Dict,
  }));
}

/** The options of a minion of which everything lies in one folder. */
export function runOptions(folder: string): Dict {
  return dict({
    id: 'compared',
    local: true,
    file_client: 'local',
    conf_file: join(folder, 'minion'),
    cachedir: join(folder, 'cache'),
    extension_modules: join(folder, 'extmods'),
    file_roots: { base: [join(STATE_RUNS, 'salt')] },
    pillar_roots: { base: [join(folder, 'pillar')] },
    hash_type: 'sha256',
    state_top: 'salt://top.sls',
    renderer: 'jinja|yaml',
    failhard: false,
    test: false,
  });
}

/** Makes one call with our own code, in this process; nobody waits for retries. */
export async function ownOutcome(given: RunCase, folder: string): Promise<RunOutcome> {
  mkdirSync(join(folder, 'cache'), { recursive: true });
  const opts: Dict = new Map([...runOptions(folder), ...given.opts]);
  const ctx = fakeContext({
    id: 'compared',
    opts,
    grains: new Map([...dict({ id: 'compared', shell: '/bin/sh', kernel: 'Linux' }), ...given.grains]),
    registry: {
      states: (context) =>
        Promise.resolve(new ModuleRegistry({ ...context, table: STATE_TABLE, kind: 'states' })),
    },
  });
  try {
    const value = await ctx.functions.call(given.fun, given.args, given.kwargs);
    return { value, retcode: ctx.retcode };
  } catch (error) {
    return { error: messageOf(error), retcode: ctx.retcode };
  }
}

const RAN_WELL = {
  result: true,
  comment: 'Success!',
  changes: { testing: { old: 'Unchanged', new: 'Something pretended to change' } },
};

/** What is wrong with arguments is the comment; in Salt it is the last line of a traceback. */
const NO_TEXT = { comment: 'Missing required argument text.' };

/** Results that ours give otherwise than Salt, by case and id: what stands in place of Salt's, and why. */
const OWN_RESULTS: Readonly<Record<string, Readonly<Record<string, DictInit>>>> = {
  conditions: {
    // an empty list, as a template makes it, is no condition; in Salt it is a KeyError
    onlyif_empty: RAN_WELL,
    // a function that is not there is named, with the reason, and not only as a key
    onlyif_unknown_fun: { comment: unavailable('nosuch.fun') },
  },
  'conditions, test mode': {
    onlyif_empty: {
      ...RAN_WELL,
      result: null,
      comment: "If we weren't testing, this would be successful with changes",
    },
    onlyif_unknown_fun: { comment: unavailable('nosuch.fun') },
  },
  // the blank before ~ is how Salt's documents write it; in Salt it is an IndexError
  slots: { appended_space: { comment: 'x/tail', result: true }, missing_part: NO_TEXT },
  'what is not there': { missing_text: NO_TEXT },
};

function unavailable(fun: string): string {
  return (
    'An exception occurred in this state: Traceback (most recent call last):\n' +
    `salt.exceptions.CommandExecutionError: onlyif: '${fun}' is not available.\n`
  );
}

/** A state that fails for arguments that its function does not take. */
function refused(id: string, sls: string | null, number: number, comment: string): DictInit {
  const state = { __id__: id, __run_num__: number, __sls__: sls, changes: {}, comment };
  return { [`test_|-${id}_|-${id}_|-check_pillar`]: { ...state, name: id, result: false } };
}

const NOP = {
  __id__: 'first',
  __run_num__: 0,
  changes: {},
  comment: 'Success!',
  name: 'first',
  result: true,
};

/** Outcomes that ours give otherwise than Salt as a whole, and why. */
const OWN_OUTCOMES: Readonly<Record<string, DictInit>> = {
  // Salt ends the whole run there, and loses what has run until then
  'an invalid keyword': {
    retcode: 2,
    value: {
      'test_|-first_|-first_|-nop': { ...NOP, __sls__: 'invalid_keyword' },
      ...refused(
        ...(['wrong', 'invalid_keyword', 1] as const),
        "'colour' is an invalid keyword argument for 'test.check_pillar'",
      ),
    },
  },
  'invalid keywords': {
    retcode: 2,
    value: refused(
      ...(['wrong', 'invalid_keywords', 0] as const),
      "'colour' and 'size' are invalid keyword arguments for 'test.check_pillar'",
    ),
  },
  'single with an invalid keyword': {
    retcode: 2,
    value: refused(
      ...(['x', null, 0] as const),
      "'colour' is an invalid keyword argument for 'test.check_pillar'",
    ),
  },
  // in Salt an empty mapping, and a success
  'running what was not requested': {
    retcode: 1,
    value: [
      "No run was requested as 'default': state.request notes one, and state.check_request shows what is noted",
    ],
  },
};

/** What ours is to give where a real Salt gave `recorded`. */
export function expectedOutcome(name: string, recorded: Value): Value {
  const whole = Object.hasOwn(OWN_OUTCOMES, name) ? OWN_OUTCOMES[name] : undefined;
  if (whole !== undefined) return comparable(dict(whole));
  const results = isDict(recorded) ? recorded.get('value') : undefined;
  const own = new Map(Object.entries(OWN_RESULTS[name] ?? {}));
  for (const result of isDict(results ?? null) ? (results as Dict).values() : []) {
    const fields = isDict(result) ? own.get(pyStr(result.get('__id__') ?? null)) : undefined;
    for (const [key, value] of dict(fields ?? {})) (result as Dict).set(key, value);
  }
  return recorded;
}

/** Fields that differ from run to run. */
const PASSING = ['start_time', 'duration', '__orchestration_jid__'];

/** An outcome as it can be compared: without times, places and Python's frames, names of sets in order. */
export function comparableOutcome(outcome: RunOutcome): Value {
  const { value, error, retcode } = outcome;
  return dict({
    retcode,
    ...(error === undefined ? { value: comparable(value ?? null) } : { error: neutral(error) }),
  });
}

function comparable(value: Value): Value {
  if (typeof value === 'string') return neutral(value);
  if (Array.isArray(value)) return value.map(comparable);
  if (!isDict(value)) return value;
  const entries = [...value].filter(([key]) => !PASSING.includes(pyStr(key)));
  return new Map(
    entries.map(([key, item]): [Value, Value] => [comparable(key), comparable(item)]).sort(byKey),
  );
}

function byKey([a]: [Value, Value], [b]: [Value, Value]): number {
  return pyStr(a) < pyStr(b) ? -1 : 1;
}

function neutral(text: string): string {
  return text
    .replaceAll(STATE_RUNS, '@')
    .replace(/(Traceback \(most recent call last\):\n)(?: .*\n)+/g, '$1')
    .replace(
      /(requisite failed: )(.*)/,
      (_, head: string, names: string) => head + names.split(', ').sort().join(', '),
    )
    .replace(/OrderedDict\(\[\('(\w+)', '([^']*)'\)\]\)/g, "{'$1': '$2'}");
}
