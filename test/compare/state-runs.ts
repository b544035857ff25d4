/**
 * Makes the state runs of `test/fixtures/state-runs` with a real Salt and with ours, and prints what differs: `node
 * scripts/run-ts.mjs test/compare/state-runs.ts [--only REGEX] [--record]`. `--record` writes what the real Salt gives
 * for the unit tests.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toJson } from '../../src/formats/json/text.ts';
import { copyValue, type Value } from '../../src/python/values/value.ts';
import { valueFromJson, valueToJson } from '../support/module-calls.ts';
import {
  comparableOutcome,
  expectedOutcome,
  ownOutcome,
  readRunCases,
  STATE_RUNS,
  type RunCase,
  type RunOutcome,
} from '../support/state-runs.ts';
import { runCases } from './real-driver.ts';
import { minionConfig, ORDINARY_VALUES, PLAIN_VALUES } from './real-modules.ts';

/** A file for Salt's renderer `py`: makes the calls of the file beside it, each with modules loaded for it. */
const DRIVER = `
import base64, collections, collections.abc, copy, json, os
from salt.loader import minion_mods, utils

${PLAIN_VALUES}
${ORDINARY_VALUES}

def outcome(case):
    opts = copy.deepcopy(__opts__)
    opts.update(ordinary(case["opts"]))
    opts["grains"].update(ordinary(case["grains"]))
    context = {}
    functions = minion_mods(opts, context=context, utils=utils(opts, context=context))
    try:
        out = {"value": plain(functions[case["fun"]](*ordinary(case["args"]), **ordinary(case["kwargs"])))}
    except Exception as exc:
        out = {"error": str(exc)}
    out["retcode"] = context.get("retcode", 0)
    return out

def run():
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "cases.json")) as handle:
        cases = json.load(handle)
    with open(os.path.join(folder, "outcomes.json"), "w") as handle:
        for case in cases:
            handle.write(json.dumps(outcome(case)) + "\\n")
    return {}
`;

async function realOutcomes(folder: string, cases: readonly RunCase[]): Promise<RunOutcome[]> {
  const config = minionConfig(folder).replace(/^file_roots:.*$/m, `file_roots: {base: [${STATE_RUNS}/salt]}`);
  mkdirSync(join(folder, 'cache'), { recursive: true });
  const rows = cases.map(({ fun, ...given }) => ({
    fun,
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, valueToJson(value)])),
  }));
  const outcomes = await runCases(folder, rows, { driver: DRIVER, config });
  return (outcomes as { value: unknown; error?: string; retcode: number }[]).map(
    ({ value, error, retcode }) =>
      error === undefined ? { value: valueFromJson(value), retcode } : { error, retcode },
  );
}

/** The lines of one text that the other does not have in their place. */
function difference(real: Value, own: Value): string {
  const [a = [], b = []] = [real, own].map((value) => toJson(value, { indent: 1 }).split('\n'));
  const out: string[] = [];
  let j = 0;
  for (const line of a) {
    const at = b.indexOf(line, j);
    if (at < 0) out.push(`- ${line}`);
    else {
      out.push(...b.slice(j, at).map((extra) => `+ ${extra}`));
      j = at + 1;
    }
  }
  return [...out, ...b.slice(j).map((extra) => `+ ${extra}`)].slice(0, 60).join('\n');
}

const words = process.argv.slice(2);
const only = new RegExp(words.includes('--only') ? (words[words.indexOf('--only') + 1] ?? '') : '');
const folder = mkdtempSync(join(tmpdir(), 'state-runs-'));
try {
  const cases = readRunCases().filter(({ name }) => only.test(name));
  const real = (await realOutcomes(join(folder, 'real'), cases)).map(comparableOutcome);
  let differing = 0;
  for (const [i, given] of cases.entries()) {
    const own = comparableOutcome(await ownOutcome(given, join(folder, 'own')));
    const text = difference(expectedOutcome(given.name, copyValue(real[i] ?? null)), own);
    if (text === '') continue;
    differing++;
    process.stdout.write(`=== ${given.name}\n${text}\n`);
  }
  process.stdout.write(`${cases.length} runs, ${differing} differ\n`);
  if (words.includes('--record')) {
    const lines = cases.map(
      ({ name }, i) => `${JSON.stringify(name)}: ${JSON.stringify(valueToJson(real[i] ?? null))}`,
    );
    writeFileSync(join(STATE_RUNS, 'recorded.json'), `{\n${lines.join(',\n')}\n}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
