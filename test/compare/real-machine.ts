/**
 * The machine of `test/fixtures/machine` as a real Salt sees it: laid out in its places in a sandbox, and calls made
 * there.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import {
  callForDriver,
  dirOf,
  machineConfig,
  minionOf,
  SCENE_FILES,
  setupEnvironment,
  type MachinePlaces,
  type Scene,
} from '../support/machine-calls.ts';
import { layMachine, type Machine, type TreeEntry } from '../support/machine.ts';
import type { GivenFile } from '../support/module-calls.ts';
import { runDriver } from './real-driver.ts';
import { minionConfig, ORDINARY_VALUES, PLAIN_VALUES } from './real-modules.ts';

/** Where the real Salt's machine lies within its sandbox. */
export const SANDBOX_PLACES: MachinePlaces = { root: '', base: '/tmp/machine' };

/**
 * A file for Salt's renderer `py`: makes the calls of the scenes beside it, each on the machine as it was, or as the
 * one before left it.
 */
const DRIVER = `
import base64, collections, collections.abc, copy, json, os, shutil, signal, stat, subprocess
from salt.loader import minion_mods, utils as loaded_utils
from salt.minion import load_args_and_kwargs
from salt.state import State

${PLAIN_VALUES}
${ORDINARY_VALUES}

read = {}

def content_of(path, info):
    written = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    if read.get(path, (None,))[0] != written:
        with open(path, "rb") as handle:
            read[path] = (written, handle.read().decode("latin-1"))
    return read[path][1]

def snapshot(folders, kept):
    out = {}
    def visit(path):
        if path in kept or not os.path.lexists(path):
            return
        info = os.lstat(path)
        mode, owner = "%04o" % (info.st_mode & 0o7777), "%d:%d" % (info.st_uid, info.st_gid)
        if stat.S_ISLNK(info.st_mode):
            out[path] = ("link", "0777", owner, os.readlink(path))
        elif stat.S_ISREG(info.st_mode):
            out[path] = ("file", mode, owner, content_of(path, info))
        elif stat.S_ISDIR(info.st_mode):
            out[path] = ("dir", mode, owner, "")
            for name in sorted(os.listdir(path)):
                visit(path + "/" + name)
        else:
            out[path] = ("other", mode, owner, "")
    for folder in folders:
        visit(folder)
    return out

def changes(before, after):
    out = [(path, entry) for path, entry in after.items() if before.get(path) != entry]
    return sorted(out + [(path, None) for path in before if path not in after])

def put_back(before, changed):
    for path, _ in changed:
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        if os.path.lexists(path) and not (is_folder and before.get(path, [""])[0] == "dir"):
            shutil.rmtree(path) if is_folder else os.unlink(path)
    for path, _ in changed:
        if path not in before:
            continue
        kind, mode, owner, content = before[path]
        if kind == "dir":
            os.makedirs(path, exist_ok=True)
        elif kind == "link":
            os.symlink(content, path)
        else:
            with open(path, "wb") as handle:
                handle.write(content.encode("latin-1"))
        os.lchown(path, *[int(part) for part in owner.split(":")])
        if kind != "link":
            os.chmod(path, int(mode, 8))

def set_up(files, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    specs = {}
    for name, given in files.items():
        path, spec = os.path.join(folder, name), given if isinstance(given, dict) else {"text": given}
        specs[path] = spec
        if name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if "link" in spec:
            os.symlink(spec["link"].replace("{dir}", folder), path)
        else:
            text = spec.get("text", "").replace("{dir}", folder).encode()
            with open(path, "wb") as handle:
                handle.write(base64.b64decode(spec["base64"]) if "base64" in spec else text)
    for path, spec in specs.items():
        when = 1700000000
        if "link" not in spec:
            os.chmod(path, int(spec.get("mode", "0755" if path.endswith("/") else "0644"), 8))
        os.utime(path, (when, spec.get("mtime", when)), follow_symlinks="link" not in spec)

def too_long(*_):
    raise TimeoutError("no end")

def answer(functions, fun, args, kwargs):
    if fun not in functions:
        return {"error": "'%s' is not available." % fun}
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(20)
    try:
        given = args + ([dict(kwargs, __kwarg__=True)] if kwargs else [])
        args, kwargs = load_args_and_kwargs(functions[fun], given, {})
        return {"value": plain(functions[fun](*args, **kwargs))}
    except BaseException as exc:
        name = type(exc).__name__
        if name in ("CommandExecutionError", "SaltInvocationError", "CommandNotFoundError", "TypeError"):
            return {"error": str(exc)}
        return {"error": name + (": " + str(exc) if str(exc) else "")}
    finally:
        signal.alarm(0)

class Functions:
    "The functions of a minion, and those that call a single state on it."
    def __init__(self, test):
        self.context = {}
        self.opts = copy.deepcopy(__opts__)
        self.opts["test"] = test
        self.loaded = minion_mods(self.opts, context=self.context, utils=loaded_utils(self.opts, context=self.context))
        self.state = None
    def low(self, data):
        if self.state is None:
            self.state = State(copy.deepcopy(self.opts))
        self.state.state_con.clear()
        errors = self.state.verify_data(data)
        return errors if errors else self.state.call(data)
    def __contains__(self, fun):
        return fun == "state.low" or fun in self.loaded
    def __getitem__(self, fun):
        if fun == "state.low":
            def low(data, **kwargs):
                return self.low(data)
            return low
        return self.loaded[fun]

def run():
    os.umask(0o022)
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "scenes.json")) as handle:
        wanted = json.load(handle)
    environment = wanted["environment"]
    machine = snapshot(wanted["folders"], wanted["kept"])
    of = {}
    with open(os.path.join(folder, "grains.json"), "w") as handle:
        json.dump(plain(__opts__["grains"]), handle)
    with open(os.path.join(folder, "outcomes.json"), "w") as handle:
        for scene in wanted["scenes"]:
            functions = of.get(scene["test"]) or Functions(scene["test"])
            of[scene["test"]] = functions
            keeps = "grains" in scene["title"]
            def whole():
                return dict(snapshot(wanted["folders"], wanted["kept"]), **snapshot([wanted["dir"]], []))
            def start_over():
                os.chdir("/root")
                for name in os.listdir(folder):
                    if name not in wanted["ours"]:
                        path = os.path.join(folder, name)
                        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
                put_back(machine, changes(machine, snapshot(wanted["folders"], wanted["kept"])))
                set_up(scene["files"], wanted["dir"])
                return whole()
            before = start_over()
            if scene["setup"]:
                subprocess.run(["/bin/bash", "-c", scene["setup"]], env=wanted["setup_environment"])
            outcomes = []
            for call in scene["calls"]:
                os.chdir("/root")
                os.umask(0o022)
                if keeps:
                    functions = Functions(scene["test"])
                os.environ.clear()
                os.environ.update(environment)
                functions.context.clear()
                given = answer(functions, call["fun"], ordinary(call["args"]), ordinary(call["kwargs"]))
                with open("/var/log/acts") as log:
                    acts = log.read()
                open("/var/log/acts", "w").close()
                after = whole()
                outcomes.append({"answer": given, "changes": changes(before, after), "acts": acts})
                before = start_over() if scene["fresh"] else after
            handle.write(json.dumps(outcomes) + "\\n")
            handle.flush()
    with open("/var/log/unanswered") as log:
        print(log.read())
    return {}
`;

/** An outcome as the driver writes it: its value is still JSON. */
export interface RawOutcome {
  readonly answer: { readonly value?: unknown; readonly error?: string };
  readonly changes: readonly (readonly [path: string, entry: TreeEntry | null])[];
  readonly acts: string;
}

/** What the real Salt gave for scenes. */
export interface RealRun {
  readonly outcomes: readonly (readonly RawOutcome[])[];
  readonly grains: unknown;
}

/**
 * Makes this file system the machine's; only ever within a sandbox that is thrown away. What is the host's is covered
 * by empty folders, which is much faster than to take it away.
 */
export function becomeMachine(machine: Machine): void {
  copyFileSync('/usr/bin/mount', MOUNT);
  chmodSync(MOUNT, 0o755);
  for (const folder of machine.folders)
    coverFolder(
      folder,
      machine.kept.filter((path) => path.startsWith(`${folder}/`)),
    );
  for (const folder of ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'])
    coverFolder(
      folder,
      machine.base.map((name) => join(folder, name)),
    );
  layMachine(machine, '');
}

/** Mounts an empty folder over one of the host's, with what is kept in it. */
function coverFolder(folder: string, kept: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const aside = mkdtempSync('/tmp/kept-');
  for (const path of kept)
    if (existsSync(path))
      cpSync(path, join(aside, basename(path)), { recursive: true, verbatimSymlinks: true });
  const copied = readdirSync(aside);
  const mounted = spawnSync(MOUNT, ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder], { stdio: 'inherit' });
  if (mounted.status !== 0) throw new Error(`${folder} cannot be covered in the sandbox`);
  for (const name of copied)
    cpSync(join(aside, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  rmSync(aside, { recursive: true });
}

/** A copy of the program, since the folder that it is in is covered too. */
const MOUNT = '/tmp/mount-of-the-host';

/** Makes the calls of scenes with a real Salt, on the machine that this file system has become. */
export async function realScenes(machine: Machine, scenes: readonly Scene[]): Promise<RealRun> {
  const places = SANDBOX_PLACES;
  const folder = minionOf(places);
  mkdirSync(folder, { recursive: true });
  const lines: RawOutcome[][] = [];
  let grains: unknown;
  for (const minion of new Set(scenes.map((scene) => JSON.stringify(scene.minion ?? [])))) {
    const mine = scenes.filter((scene) => JSON.stringify(scene.minion ?? []) === minion);
    const input = {
      folders: machine.folders,
      kept: machine.kept,
      dir: dirOf(places),
      environment: machine.environment,
      ours: ['minion', 'srv', 'scenes.json', 'driver.py', 'outcomes.json', 'grains.json'],
      setup_environment: setupEnvironment(machine, places),
      scenes: mine.map((scene) => ({
        title: scene.scene,
        test: scene.test ?? false,
        fresh: scene.fresh ?? false,
        setup: scene.setup ?? '',
        files: { ...SCENE_FILES, ...scene.files } satisfies Record<string, GivenFile>,
        calls: scene.calls.map((call) => callForDriver(call, places)),
      })),
    };
    writeFileSync(join(folder, 'outcomes.json'), '');
    const config = minionConfig(folder, machineConfig({ minion: JSON.parse(minion) as string[] }));
    const ended = await runDriver(folder, { driver: DRIVER, config, input: ['scenes.json', input] });
    const found = readFileSync(join(folder, 'outcomes.json'), 'utf8').split('\n').filter(Boolean);
    if (found.length < mine.length)
      throw new Error(
        `the real salt-call ended with ${ended.code} in ${mine[found.length]?.scene ?? ''}: ${ended.stdout}${ended.stderr}`,
      );
    process.stderr.write(ended.stdout.split('\n').slice(0, 40).join('\n'));
    found.forEach((line, i) => {
      lines[scenes.indexOf(mine[i] as Scene)] = JSON.parse(line) as RawOutcome[];
    });
    grains = JSON.parse(readFileSync(join(folder, 'grains.json'), 'utf8'));
  }
  return { outcomes: lines, grains };
}
