"""Has a real Salt make the calls of cases.yaml on the site in test/fixtures/python-extensions/site, and records them for the unit tests.

    PYTHONPATH=SALT:SHIM SALT_PROGRAMS=FOLDER /usr/bin/python3 test/compare/python-extensions/record.py [--all | GROUP…]

with SALT a checkout of Salt 3006.16 and FOLDER one with its `salt-call` and `salt-run`. Without words only calls that are not recorded
yet are made; recordings of calls that are gone are dropped.
"""

import base64
import collections.abc
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
import types

import yaml
from record_kinds import KINDS, orchestration

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURE = os.path.join(HERE, "../../fixtures/python-extensions")
OUT = os.path.join(FIXTURE, "recorded.json")
JID = "20261123150405678901"


def lay(root, group):
    """The site as a master and a minion on one machine have it: synced, with their configuration, and what a group has besides."""
    site = os.path.join(FIXTURE, "site")
    for name in ("srv", "pillar"):
        shutil.copytree(os.path.join(site, name), os.path.join(root, name))
    for kind in os.listdir(os.path.join(root, "srv")):
        if kind.startswith("_"):
            shutil.copytree(os.path.join(root, "srv", kind), os.path.join(root, "ext", kind[1:]))
    for name in ("minion", "master"):
        with open(os.path.join(site, name)) as stream:
            text = stream.read().replace("ROOT", root)
        further = os.path.join(site, "{}-{}".format(name, group.split()[0]))
        if os.path.exists(further):
            with open(further) as stream:
                text += stream.read().replace("ROOT", root)
        with open(os.path.join(root, name), "w") as out:
            out.write(text)
    os.makedirs(os.path.join(root, "cache", "proc"))


def plain(value):
    """JSON of a value; `valueFromJson` of the tests reads it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"int": str(value)}
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) and value != int(value) else {"float": repr(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, collections.abc.Mapping):
        timed = ("duration", "start_time") if "result" in value else ()
        return {"dict": [[plain(k), plain(v)] for k, v in value.items() if k not in timed]}
    if isinstance(value, (set, frozenset)):
        return [plain(v) for v in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {"dict": [["type", type(value).__name__], ["text", str(value)]]}


def _shown(value):
    """A return in which modules and functions of an SLS are what `salt-call` shows of them: no minion can send them."""
    if isinstance(value, collections.abc.Mapping):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return str(value) if isinstance(value, (types.ModuleType, types.FunctionType)) else value


class Minion:
    """A real minion without a master: jobs run in processes that are forked, as with `multiprocessing`."""

    def __init__(self, root):
        import salt.config
        import salt.minion

        self.opts = salt.config.minion_config(os.path.join(root, "minion"))
        self.opts.update(file_client="local", __role="minion", local=True)
        self.minion = salt.minion.SMinion(self.opts)

    def forked(self, work):
        """What a process of its own makes of it; what it printed; or how it ended."""
        read, write = os.pipe()
        printed = tempfile.TemporaryFile()
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(printed.fileno(), 1)
                answer = work()
            except BaseException as error:
                answer = {"ended": "{}: {}".format(type(error).__name__, error)}
            sys.stdout.flush()
            with os.fdopen(write, "w") as out:
                json.dump(answer, out)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answered:
            text = answered.read()
        _, status = os.waitpid(pid, 0)
        answer = json.loads(text) if text else {"ended": "exit code {}".format(os.waitstatus_to_exitcode(status))}
        printed.seek(0)
        shown = printed.read().decode("utf8", "replace")
        if shown:
            answer["printed"] = shown
        return answer

    def job(self, words, returner=""):
        """One job, as `salt` publishes it: its return as the master reads it, and the events on the way."""
        import salt.minion
        import salt.payload
        import salt.utils.args

        fun, *rest = shlex.split(words)
        arg = salt.utils.args.parse_input(rest)
        self.minion.proc_dir = os.path.join(self.opts["cachedir"], "proc")
        self.minion.connected = True
        self.minion.gen_modules = lambda *_, **__: None
        self.minion._execute_job_function = lambda *given: salt.minion.Minion._execute_job_function(self.minion, *given)
        self.minion._return_retry_timer = lambda **_: 1
        sent, events = [], []
        self.minion.opts["multiprocessing"] = False
        published = lambda ret: _shown(salt.minion.Minion._prepare_return_pub(self.minion, ret))
        self.minion._return_pub = lambda ret, **_: sent.append(salt.payload.loads(salt.payload.dumps(published(ret))))
        self.minion._fire_master = lambda data=None, tag=None, **_: events.append([tag, plain(data)])
        data = {"fun": fun, "arg": arg, "jid": JID, "ret": returner, "tgt": self.opts["id"], "tgt_type": "glob", "user": "root"}

        def work():
            salt.minion.Minion._thread_return(self.minion, self.opts, data)
            told = {key: plain(value) for key, value in sent[0].items() if key in ("return", "retcode", "success", "out")}
            return dict(told, events=events) if events else told

        return self.forked(work)


def program(root, name, words):
    """A program with its streams; what it logs and what Python warns of is left out."""
    argv = [os.path.join(os.environ["SALT_PROGRAMS"], name), "-c", root, "-l", "quiet"]
    argv += ["--local"] if name == "salt-call" else []
    done = subprocess.run(argv + shlex.split(words.replace("ROOT", root)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    said = re.sub(r"^\S+:\d+: \w*Warning: .*\n(?:  .*\n)?", "", done.stderr.decode(), flags=re.M)
    return {"code": done.returncode, "stdout": done.stdout.decode(), "stderr": said}


def neutral(value, root):
    """Places and the frames of tracebacks are each side's own."""
    if isinstance(value, str):
        return re.sub(r"Traceback \(most recent call last\):\n(?:  .*\n)*", "Traceback\n", value.replace(root, "ROOT"))
    if isinstance(value, list):
        return [neutral(item, root) for item in value]
    if isinstance(value, dict):
        return {key: neutral(item, root) for key, item in value.items()}
    return value


def key_of(case):
    """A case by what it asks; why ours differs is no part of that."""
    return " | ".join("{} {}".format(name, value if isinstance(value, str) else json.dumps(value)) for name, value in asked(case).items())


def asked(case):
    if isinstance(case, str):
        return {"job": case}
    return {name: value for name, value in case.items() if name not in ("ours", "why", "salt")}


def record(case, root, minions):
    case = asked(case)
    if "salt-call" in case:
        return program(root, "salt-call", case["salt-call"])
    if "salt-run" in case:
        return program(root, "salt-run", case["salt-run"])
    if "orchestrate" in case:
        return orchestration(program(root, "salt-run", "state.orchestrate {} --out json".format(case["orchestrate"])))
    if not minions:
        minions.append(Minion(root))
    [minion] = minions
    for kind, ask in KINDS.items():
        if kind in case:
            return minion.forked(lambda: {"is": plain(ask(minion, root, case[kind].replace("ROOT", root)))})
    if "job" in case:
        return minion.job(case["job"].replace("ROOT", root), case.get("returner", ""))
    raise ValueError("a case of no kind: {}".format(case))


def main():
    with open(os.path.join(HERE, "cases.yaml")) as stream:
        groups = yaml.safe_load(stream)
    known = {}
    if os.path.exists(OUT):
        with open(OUT) as stream:
            known = json.load(stream)
    wanted = set(sys.argv[1:])
    out = {}
    for group, cases in groups.items():
        root = tempfile.mkdtemp(prefix="python-extensions-")
        minions = []
        try:
            lay(root, group)
            for case in cases:
                key = key_of(case)
                if key in known and group not in wanted and "--all" not in wanted:
                    out[key] = known[key]
                    continue
                if key in out:
                    raise ValueError("twice: " + key)
                try:
                    out[key] = neutral(record(case, root, minions), root)
                except Exception:
                    sys.exit("{}: {}".format(key, traceback.format_exc()))
                print(key, "\n   ", json.dumps(out[key])[:1500], flush=True)
        finally:
            shutil.rmtree(root)
        write(out if group == list(groups)[-1] else {**known, **out})


def write(recorded):
    with open(OUT, "w") as stream:
        stream.write("{\n" + ",\n".join(" {}: {}".format(json.dumps(key), json.dumps(value)) for key, value in recorded.items()) + "\n}\n")


main()
