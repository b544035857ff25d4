/**
 * Has a real Salt 3008 make the calls of `test/fixtures/modules/cmd.json` again, each as a job makes it and as another
 * module does, and writes down what they gave: `node scripts/run-ts.mjs test/compare/record-cmd.ts`. A case is added
 * there without `between` and `job`. 3008 and not 3006.16, which lost the shell of a job and the arguments of scripts
 * for two releases. Needs root, for other users.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cmdVectors,
  CMD_VECTORS,
  writeCmdScripts,
  type CmdOutcome,
  type CmdVector,
} from '../support/cmd-vectors.ts';
import { realSalt, runProgram } from '../support/fleet.ts';

/** Makes the calls of a file. What tells a job from another module is `__pub_jid` alone. */
const DRIVER = `
import json

def _outcome(fun, args, kwargs):
    __context__.pop("retcode", None)
    try:
        value = __salt__[fun](*args, **kwargs)
    except Exception as exc:
        known = type(exc).__name__ in ("CommandExecutionError", "SaltInvocationError")
        return {"error": str(exc)} if known else {"raised": type(exc).__name__}
    if isinstance(value, dict) and value.get("pid"):
        value = {key: "PID" if key == "pid" else item for key, item in value.items()}
    return {"return": value, "exit": __context__.get("retcode", 0) & 255}

def all(path):
    with open(path) as calls:
        for case in json.load(calls):
            job = dict(case["kwargs"], __pub_jid="20260401000000000000")
            case["between"] = _outcome(case["fun"], case["args"], dict(case["kwargs"]))
            case["job"] = _outcome(case["fun"], case["args"], job) if case.get("job") is not None else None
            yield case

def calls(path):
    return list(all(path))
`;

const salt = realSalt('3008');
if (salt === undefined) throw new Error('No real Salt 3008 is found; BRINE_REAL_SALT names its folder.');
const folder = mkdtempSync(join(tmpdir(), 'brine-record-cmd-'));
const dir = join(folder, 'scripts');
const home = join(folder, 'home');
for (const path of [dir, home, join(folder, 'modules'), join(folder, 'etc')]) mkdirSync(path);
for (const path of [folder, dir, home]) chmodSync(path, 0o755);
writeCmdScripts(dir);
writeFileSync(join(folder, 'modules', 'recorder.py'), DRIVER);
writeFileSync(
  join(folder, 'etc', 'minion'),
  JSON.stringify({
    id: 'minion',
    file_client: 'local',
    root_dir: folder,
    module_dirs: [join(folder, 'modules')],
    enable_fqdns_grains: false,
  }),
);

/** Functions that know of jobs: those that pass the words of a job on. */
const asked = cmdVectors().map(({ fun, args, kwargs }) => ({
  ...{ fun, args, kwargs },
  job: /^cmd\.(run|shell$|retcode|script|exec_code)/.test(fun) ? true : null,
}));
const path = join(folder, 'calls.json');
writeFileSync(path, JSON.stringify(asked).replaceAll('{dir}', dir));
/** Nothing of who records. */
const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  SHELL: '/bin/sh',
  HOME: home,
};
const words = ['--local', '-c', join(folder, 'etc'), '--out=json', '-l', 'quiet', 'recorder.calls', path];
const { stdout, stderr } = await runProgram(join(salt.folder, 'salt-call'), words, { env });
if (!stdout.includes('"local"')) throw new Error(`salt-call gave ${stdout}${stderr}`);
const made = JSON.parse(
  JSON.stringify((JSON.parse(stdout) as { local: unknown }).local)
    .replaceAll(dir, '{dir}')
    .replaceAll(home, '{home}'),
) as { between: CmdOutcome; job: CmdOutcome | null }[];
rmSync(folder, { recursive: true });

/** The environment of an error is that of the machine, and long. */
function shortened(outcome: CmdOutcome): CmdOutcome {
  return JSON.parse(
    JSON.stringify(outcome).replace(/'env': \{.*?\}, 'stdin'/s, "'env': {}, 'stdin'"),
  ) as CmdOutcome;
}

const vectors = cmdVectors().map((vector, i): CmdVector => {
  const { between, job } = made[i] as { between: CmdOutcome; job: CmdOutcome | null };
  const { between: _before, job: _jobBefore, ...kept } = vector;
  const isSame = job === null || JSON.stringify(job) === JSON.stringify(between);
  return { ...kept, between: shortened(between), ...(isSame ? {} : { job: shortened(job) }) };
});
writeFileSync(CMD_VECTORS, `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`);
process.stdout.write(`${vectors.length} cases\n`);
