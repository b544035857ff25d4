/**
 * Results of state runs by a real Salt: one `salt-call` renders a file of ours that makes all runs, since each start
 * costs a second.
 */
import { valueFromJson, valueToJson } from '../support/module-calls.ts';
import { casePillar, placed, runsOf, type PlacedCase, type RunOutcome } from '../support/state-cases.ts';
import { runCases } from './real-driver.ts';
import { minionConfig, ORDINARY_VALUES, PLAIN_VALUES } from './real-modules.ts';

/** A file for Salt's renderer `py`: runs the cases that stand in the file beside it and writes down the results. */
const DRIVER = `
import base64, collections, collections.abc, json, os, subprocess, sys
from salt.loader import grains as collected_grains

${PLAIN_VALUES}
${ORDINARY_VALUES}

def shell(command):
    done = subprocess.run(
        ["/bin/bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode(errors="replace")

def result(case, kind):
    if case["grains"]:
        opts = sys.modules[__salt__["state.sls"].__module__].__opts__
        opts["grains"] = collected_grains(opts, force_refresh=True)
    kwargs = {"test": kind == "test"}
    if case["pillar"] is not None:
        kwargs["pillar"] = ordinary(case["pillar"])
    try:
        return plain(__salt__["state.sls"](case["sls"], **kwargs))
    except Exception as exc:
        return str(exc)

def run():
    os.umask(0o022)
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "cases.json")) as handle:
        cases = json.load(handle)
    with open(os.path.join(folder, "outcomes.json"), "w") as handle:
        for case in cases:
            os.chdir("/")
            shell(case["setup"])
            runs = [result(case, kind) for kind in case["runs"]]
            handle.write(json.dumps({"runs": runs, "after": shell(case["after"])}) + "\\n")
    return {}
`;

/** Runs cases with a real Salt, in order, in one process. */
export async function realOutcomes(folder: string, cases: readonly PlacedCase[]): Promise<RunOutcome[]> {
  const rows = cases.map((at) => ({
    sls: `${at.name}.case`,
    pillar: valueToJson(casePillar(at) ?? null),
    runs: runsOf(at.given),
    grains: at.given.grains === true,
    setup: placed(at.given.setup ?? '', at),
    after: placed(at.given.after ?? '', at),
  }));
  const outcomes = await runCases(folder, rows, { driver: DRIVER, config: minionConfig(folder) });
  return (outcomes as { runs: unknown[]; after: string }[]).map(({ runs, after }) => ({
    runs: runs.map(valueFromJson),
    after,
  }));
}
