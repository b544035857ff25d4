/**
 * Records what a real Salt 3006 does in the calls of master-function-calls.ts; ours are recorded where they differ,
 * with what was said of it.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  comparable,
  makeMasterFunctionFolder,
  type MasterFunctionOutcome,
  type RecordedCase,
} from '../support/master-function-cases.ts';
import { outcomeOfOurs } from '../support/master-functions.ts';
import type { RecordedKeys } from '../support/salt-key-folder.ts';
import { MASTER_FUNCTION_CALLS } from './master-function-calls.ts';
import { runCases } from './real-driver.ts';

const FILE = 'test/fixtures/runners/master-functions-3006.16.json';
const { keys } = JSON.parse(readFileSync('test/fixtures/keys/salt-key-3006.16.json', 'utf8')) as {
  keys: RecordedKeys;
};

/** Runs each call in a process of its own, on a folder that is made anew. */
const DRIVER = `
import json, os, shutil, sys, traceback
import salt._logging.impl as logging_impl
from salt.config import master_config
from salt.wheel import WheelClient
from salt.cli.run import SaltRun

FOLDER = os.path.dirname(os.path.abspath(FILE))
ROOT = os.path.join(FOLDER, "root")

def files():
    out = []
    for name in ("etc", "pki", "srv", "srv2", "dev", "pillar"):
        for folder, _, names in os.walk(os.path.join(ROOT, name)):
            out.extend(os.path.relpath(os.path.join(folder, n), ROOT) for n in names)
    return sorted(out)

def filled(value):
    return json.loads(json.dumps(value).replace("ROOT", ROOT))

def wheel(case):
    opts = master_config(os.path.join(ROOT, "etc", "master"))
    client = WheelClient(opts)
    try:
        data = client.cmd(case["wheel"], arg=case.get("arg", []), kwarg=case.get("kwarg", {}),
                          print_event=False, full_return=True)
    except BaseException as exc:
        data = {"return": "raised " + type(exc).__name__ + ": " + str(exc), "success": False}
    return {"return": data["return"], "success": data["success"], "files": files()}

def run_command(case):
    sys.argv = ["salt-run", "-c", os.path.join(ROOT, "etc")] + case["run"]
    try:
        SaltRun().run()
        return 0
    except SystemExit as exc:
        return exc.code or 0

def child(case, out):
    logging_impl.set_logging_options_dict.__dict__.clear()  # salt-call has frozen them
    stdout = os.open(os.path.join(FOLDER, "stdout"), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.dup2(stdout, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout = os.fdopen(1, "w"); sys.stderr = os.fdopen(2, "w")
    if "wheel" in case:
        result = wheel(case)
    else:
        code = run_command(case)
        sys.stdout.flush()
        with open(os.path.join(FOLDER, "stdout")) as handle:
            result = {"stdout": handle.read(), "code": code}
    with open(out, "w") as handle:
        json.dump(result, handle, default=str)

def run():
    with open(os.path.join(FOLDER, "cases.json")) as handle:
        cases = json.load(handle)
    with open(os.path.join(FOLDER, "outcomes.json"), "w") as outcomes:
        for case in cases:
            shutil.rmtree(ROOT, ignore_errors=True)
            shutil.copytree(os.path.join(FOLDER, "template"), ROOT, symlinks=True)
            out = os.path.join(FOLDER, "one.json")
            if os.path.exists(out):
                os.remove(out)
            pid = os.fork()
            if pid == 0:
                try:
                    child(filled(case), out)
                except BaseException:
                    with open(out, "w") as handle:
                        json.dump({"stdout": "raised " + traceback.format_exc(), "code": 99}, handle)
                os._exit(0)
            os.waitpid(pid, 0)
            with open(out) as handle:
                outcomes.write(json.dumps(json.load(handle)) + "\\n")
            outcomes.flush()
    return {}
`;

const folder = mkdtempSync(join(tmpdir(), 'brine-master-functions-'));
try {
  const root = join(folder, 'root');
  makeMasterFunctionFolder(root, keys);
  cpSync(root, join(folder, 'template'), { recursive: true });
  const calls = MASTER_FUNCTION_CALLS;
  const known: RecordedCase[] = existsSync(FILE)
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as { cases: RecordedCase[] }).cases
    : [];
  const onlyOurs = process.argv.includes('--ours');
  const outcomes = onlyOurs
    ? calls.map((call) => known.find((one) => JSON.stringify(one.call) === JSON.stringify(call))?.salt ?? {})
    : ((await runCases(folder, calls, {
        driver: DRIVER,
        config: `id: x\nroot_dir: ${folder}/minion.d\nfile_client: local\nlog_file: ${folder}/minion.log\n`,
      })) as MasterFunctionOutcome[]);
  const cases: RecordedCase[] = [];
  let unexplained = 0;
  for (const [index, call] of calls.entries()) {
    const salt = comparable(outcomes[index] as MasterFunctionOutcome, root);
    makeMasterFunctionFolder(root, keys);
    const ours = comparable(await outcomeOfOurs(root, call), root);
    const before = known.find((one) => JSON.stringify(one.call) === JSON.stringify(call));
    const isSame = JSON.stringify(ours) === JSON.stringify(salt);
    if (isSame) cases.push({ call, salt });
    else {
      cases.push({ call, salt, differs: before?.differs ?? '', ours });
      if (before?.differs === undefined || before.differs === '') {
        unexplained++;
        process.stdout.write(
          `${JSON.stringify(call)}\n  salt ${JSON.stringify(salt)}\n  ours ${JSON.stringify(ours)}\n`,
        );
      }
    }
  }
  writeFileSync(FILE, `${JSON.stringify({ salt: '3006.16', cases }, null, 1)}\n`);
  process.stdout.write(`${cases.length} calls, ${unexplained} differences without a reason\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
