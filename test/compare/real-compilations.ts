/** What a real Salt makes of SLS: one `salt-call` renders a file of ours that compiles them all. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/fleet.ts';
import { valueFromJson } from '../support/module-calls.ts';
import { minionConfig, PLAIN_VALUES } from './real-modules.ts';
import {
  FOLDER,
  PLAIN_MINION,
  TOP,
  pillarTop,
  type Compilation,
  type MinionOfCases,
  type StateCase,
} from './compile-case.ts';

/** A file for Salt's renderer `py`. The pillar is made anew for each case because one is given. */
const DRIVER = `
import base64, collections.abc, copy, importlib, json, os, sys, time
from salt.state import HighState

${PLAIN_VALUES}
def full(sls):
    if sls == "${TOP}":
        return __salt__["state.show_highstate"]()
    opts = copy.deepcopy(__opts__)
    opts["saltenv"] = "base"
    with HighState(opts, {"compared": True}) as compiler:
        if compiler.opts["pillar"].get("_errors"):
            return "pillar"
        compiler.get_top = lambda context=None: {"base": {"*": [sls]}}
        compiler.push_active()
        try:
            return compiler.compile_low_chunks()
        finally:
            compiler.pop_active()

def answer(call, sls):
    try:
        return plain(call(sls))
    except Exception as exc:
        return "%s: %s" % (type(exc).__name__, exc)

def run():
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "cases.json")) as handle:
        cases = json.load(handle)
    def low(sls):
        if sls == "${TOP}":
            return __salt__["state.show_lowstate"]()
        return __salt__["state.show_low_sls"](sls, pillar={"compared": True})
    def compiled(case):
        began = time.process_time()
        found = {"sls": case["sls"], "pillar": case["pillar"]}
        found["low"] = answer(low, case["sls"])
        found["full"] = answer(full, case["sls"])
        found["ms"] = (time.process_time() - began) * 1000
        with open(os.path.join(folder, "answers.jsonl"), "a") as out:
            out.write(json.dumps(found) + "\\n")
    imported = os.path.join(folder, "imported.json")
    def note_imports():
        with open(imported, "w") as out:
            json.dump([name for name in sys.modules if not name.startswith("salt.loaded")], out)
    # what one case imported need not be imported by each that follows
    def import_noted():
        if not os.path.exists(imported):
            return
        with open(imported) as handle:
            names = json.load(handle)
        for name in names:
            if name not in sys.modules:
                try:
                    importlib.import_module(name)
                except Exception:
                    pass
    for case in cases:
        with open(os.path.join(folder, "pillar", "top.sls"), "w") as handle:
            handle.write(case["top"])
        # what an exception leaves behind in Salt's loader is not to reach the next case
        child = os.fork()
        if child == 0:
            try:
                compiled(case)
                note_imports()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        import_noted()
    return {}
`;

/** How the real Salt compiles. */
export interface RealOptions {
  /** The folder of its commands. */
  readonly salt: string;
  /** A file in which answers are kept for the next time. */
  readonly kept: string | undefined;
  readonly minion?: MinionOfCases;
}

/**
 * @param folder with the files and the pillar of the minion
 * @param options the folder of the real commands, and a file in which answers are kept for the next time
 */
export async function realCompilations(
  folder: string,
  cases: readonly StateCase[],
  { salt, kept, minion = PLAIN_MINION }: RealOptions,
): Promise<Compilation[]> {
  const known = new Map<string, Compilation>();
  const read = (path: string): void => {
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').replaceAll(folder, FOLDER).trimEnd().split('\n')) {
      const { sls, pillar, low, full, ms } = JSON.parse(line) as StateCase & Compilation;
      known.set(keyOf({ sls, pillar }), { low: valueFromJson(low), full: valueFromJson(full), ms });
    }
  };
  if (kept !== undefined) read(kept);
  const missing = cases.filter((at) => !known.has(keyOf(at)));
  if (missing.length > 0) {
    const answers = await compileAll(folder, missing, salt, minion);
    read(answers);
    if (kept !== undefined) appendFileSync(kept, readFileSync(answers, 'utf8').replaceAll(folder, FOLDER));
  }
  return cases.map((at) => {
    const found = known.get(keyOf(at));
    if (found === undefined) throw new Error(`The real Salt has not compiled ${at.sls}.`);
    return found;
  });
}

function keyOf({ sls, pillar }: Pick<StateCase, 'sls' | 'pillar'>): string {
  return `${sls} ${pillar ?? ''}`;
}

/** @returns the file with one answer on each line */
async function compileAll(
  folder: string,
  cases: readonly StateCase[],
  salt: string,
  { lines, synced }: MinionOfCases,
): Promise<string> {
  writeFileSync(join(folder, 'minion'), minionConfig(folder, lines));
  const wanted = cases.map((at) => ({ ...at, top: pillarTop(at) }));
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(wanted));
  const driver = join(folder, 'driver.py');
  writeFileSync(driver, DRIVER.replace('FILE', JSON.stringify(driver)));
  const call = (words: readonly string[]): ReturnType<typeof runProgram> =>
    runProgram(join(salt, 'salt-call'), ['-c', folder, '--local', '-l', 'quiet', '--out', 'json', ...words]);
  // `saltutil.list_extmods` fails on a minion that has never synced anything, which no minion with a master is
  mkdirSync(join(folder, 'cache', 'extmods'), { recursive: true });
  if (synced) await call(['saltutil.sync_all', 'refresh=False']);
  // its exit code is that of the last case
  const { stdout, stderr } = await call(['slsutil.renderer', driver, 'default_renderer=py']);
  const answers = join(folder, 'answers.jsonl');
  if (!existsSync(answers)) throw new Error(`The real salt-call gave nothing: ${stdout}${stderr}`);
  return answers;
}
