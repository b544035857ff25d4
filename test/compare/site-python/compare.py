"""Calls the functions of public sites' own Python on a real Salt and on ours, and prints what differs.

    nice python3 test/compare/site-python/compare.py --mirrors DIR --work DIR [--salt-importable] [--again] [SITE…]

Sites are named in sites.yaml beside this file; DIR of --mirrors has a git directory of each, `owner+name/repo` or `owner+name/repo/.git`.
Nothing of theirs is kept: they are laid out in DIR of --work, and each side runs in a sandbox (test/compare/sandbox.sh) without a network,
at the same path and with the same calls. REAL_SALT names the checkout of the real Salt, REAL_DEPS what it needs besides, BRINE where ours is
built (default: here). With
--salt-importable our side can import that Salt and has `salt_python: True`, else none. --again makes only our calls, and reads the real answers of the last time.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
SANDBOX = os.path.join(ROOT, "test/compare/sandbox.sh")
REAL_SALT = os.environ.get("REAL_SALT", "/opt/realsalt/src/3006")
REAL_DEPS = os.environ.get("REAL_DEPS", "/opt/realsalt/deps")
KINDS = (
    "modules states grains runners pillar returners utils renderers beacons engines output outputters tops wheel auth sdb queues proxy"
).split()
# what a sandbox cannot keep apart: the clock, the kernel's modules, its end
CAPABILITIES = "-sys_time,-sys_boot,-sys_module,-sys_rawio,-mknod"
MINION = """
id: web01
root_dir: {root}
file_client: local
file_roots: {{base: [{root}/srv]}}
pillar_roots: {{base: [{root}/pillar]}}
enable_gpu_grains: False
enable_fqdns_grains: False
log_level: quiet
python_executable: /usr/bin/python3
"""
MASTER = """
root_dir: {root}
file_roots: {{base: [{root}/srv]}}
pillar_roots: {{base: [{root}/pillar]}}
log_level: quiet
python_executable: /usr/bin/python3
"""
PILLAR = {"alpha": {"beta": 1, "list": ["x", "y"]}, "name": "alpha"}


def git_directory(mirrors, site):
    path = os.path.join(mirrors, site.replace("/", "+"), "repo")
    return os.path.join(path, ".git") if os.path.isdir(os.path.join(path, ".git")) else path


def lay(site, folders, mirrors, root):
    """The files of a site as they lie in file roots."""
    shutil.rmtree(root, ignore_errors=True)
    git = ["git", "-C", git_directory(mirrors, site)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in filter(None, listed.split("\0")):
        about, _, name = line.partition("\t")
        place = placed(name, folders)
        if place is None or not about.startswith("100") or os.path.exists(os.path.join(root, "srv", place)):
            continue
        path = os.path.join(root, "srv", place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(subprocess.run([*git, "cat-file", "blob", about.split()[2]], stdout=subprocess.PIPE, check=True).stdout)
    for folder in ("_modules", "_runners", "_states"):
        os.makedirs(os.path.join(root, "srv", folder), exist_ok=True)
        shutil.copy(os.path.join(HERE, "brinecompared.py"), os.path.join(root, "srv", folder))
    for folder in ("pillar", "minion.d"):
        os.makedirs(os.path.join(root, folder))
    with open(os.path.join(root, "pillar/top.sls"), "w") as out:
        out.write("base: {'*': [site]}\n")
    with open(os.path.join(root, "pillar/site.sls"), "w") as out:
        yaml.safe_dump(PILLAR, out)
    configure(root)


def configure(root, further=""):
    for name, text in (("minion", MINION), ("master", MASTER)):
        with open(os.path.join(root, name), "w") as out:
            out.write(text.format(root=root) + further)


def placed(path, folders):
    """Where a file of the repository comes to lie; None where it is not of this kind."""
    parts = path.split("/")
    if not path.endswith(".py") or "tests" in parts:
        return None
    for folder in folders:
        rest = parts if folder == "." else parts[len(folder.split("/")) :] if path.startswith(folder + "/") else []
        if len(rest) > 1 and rest[0] in KINDS:
            return "/".join(["_" + rest[0], *rest[1:]])
    for at, part in enumerate(parts[:-1]):
        if part.startswith("_") and part[1:] in KINDS:
            return "/".join(parts[at:])
    return None


def side(which, root, env, given):
    # so that both have sets in the same order
    env = dict(env, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
    words = ["env", *("{}={}".format(*one) for one in env.items()), "unshare", "-n", "setpriv", "--bounding-set", CAPABILITIES]
    words += ["/usr/bin/python3", "-W", "ignore", os.path.join(HERE, "answers.py"), which, root]
    done = subprocess.run(["bash", SANDBOX, *words], input=json.dumps(given).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    mark = done.stdout.rfind(b"\x1e")
    if mark < 0:
        sys.exit("{} of {} ended with {}: {}".format(which, root, done.returncode, done.stderr.decode("utf8", "replace")[-3000:]))
    return json.loads(done.stdout[mark + 1 :])


# what no two runs have in common
VARIES = (
    (re.compile(r"\b20\d{18}\b"), "JID"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?"), "TIME"),
    (re.compile(r" at 0x[0-9a-f]{6,}"), " at ADDRESS"),
    (re.compile(r"/tmp/(tmp|__salt\.tmp\.|salt-)?[A-Za-z0-9_]{6,10}(?=['\"\s/\\]|$)"), "/tmp/RANDOM"),
    (re.compile(r"copied, .* s, .*/s"), "COPIED"),
    # ours hides what may be secret in it
    (re.compile(r"'env': \{[^{}]*\}"), "'env': ENVIRONMENT"),
    (re.compile(r"\b1[678]\d{8}(\.\d+)?\b"), "SECONDS"),
)


def settled(value, key=""):
    if isinstance(value, dict):
        return {settled(one): settled(item, one) for one, item in value.items() if one not in ("duration", "start_time")}
    if isinstance(value, list):
        # of a mapping that is told as pairs
        return [value[0], "PID"] if len(value) == 2 and value[0] == "pid" else [settled(one) for one in value]
    if isinstance(value, str):
        for pattern, word in VARIES:
            value = pattern.sub(word, value)
        return re.sub(r"PID \d+|pid \d+", "PID", value)
    if key == "pid":
        return "PID"
    return value


FRAME = re.compile(r'^\s+(File "|[~^\s]+$)|^    ')


def without_frames(text):
    """A text without the frames of tracebacks."""
    lines = [line.strip() for line in text.split("\n") if not FRAME.match(line)]
    return "\n".join(line for line in lines if line and not line.startswith(("Traceback (", "During handling", "The above exception", "import ", "from ", "salt.utils.versions.warn_until(")) and "Warning: " not in line)


# grains about the program itself
NAMES_SALT = ("uptime_seconds", "uptime_days", "brineversion", "pythonpath", "pythonversion", "saltpath", "zmqversion", "saltversion", "saltversioninfo")


def told(answer):
    """What one side said, as it is compared."""
    out = answer["stdout"]
    try:
        out = json.loads(out)
    except ValueError:
        pass
    if answer["call"]["words"] == ["grains.items"] and isinstance(out, dict):
        out = {key: {name: one for name, one in grains.items() if name not in NAMES_SALT} for key, grains in out.items()}
    out = settled(out)
    lines = without_frames(settled(answer["stderr"])).split("\n")
    # with --out=json ours says besides, or instead of a traceback, what was wrong
    if lines[-1].startswith('{"error":'):
        lines = lines[:-1] or ([""] if answer["stdout"].strip() else None) or without_frames(json.loads(lines[-1])["error"]["message"]).split("\n")
    return {"code": answer["code"], "out": walked(out), "err": "\n".join(lines)}


def pairs(theirs, mine, many):
    """What is compared of one program on both sides: what it told or, of a job of many calls, what each came to."""
    a, b = told(theirs), told(mine)
    if "many" not in theirs["call"]:
        yield theirs["call"], a, b
        return
    for at, call in enumerate(many[theirs["call"]["many"]]):
        call = dict(call, test=theirs["call"]["words"][-1]) if call["kind"] == "states" else call
        yield call, one(at, theirs, a), one(at, mine, b)


def one(at, answer, whole):
    """What one of many calls came to; what became of the program, where that ended before."""
    many = answer.get("many", [])
    return walked(settled(many[at])) if at < len(many) else whole


def walked(value):
    if isinstance(value, dict):
        return {key: walked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [walked(one) for one in value]
    return without_frames(value) if isinstance(value, str) and "Traceback (" in value else value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--salt-importable", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--brief", action="store_true", help="states in test mode only, nothing as it is typed")
    parser.add_argument("sites", nargs="*")
    asked = parser.parse_args()
    with open(os.path.join(HERE, "sites.yaml")) as stream:
        known = yaml.safe_load(stream)
    whole = {"same": 0, "differ": 0}
    for site in asked.sites or known:
        compare(site, known[site], asked, whole)
    print("{same} calls the same, {differ} differ".format(**whole))


def compare(site, folders, asked, whole):
    name = site.replace("/", "+")
    root = os.path.join(os.path.abspath(asked.work), name)
    kept = root + ".real.json"
    if not (asked.again and os.path.exists(kept)):
        lay(site, folders, asked.mirrors, root)
        real = side("real", root, {"PYTHONPATH": REAL_SALT + ":" + REAL_DEPS, "BRIEF": "1" if asked.brief else "0"}, [])
        with open(kept, "w") as out:
            json.dump(real, out)
    with open(kept) as stream:
        real = json.load(stream)
    env = {"PYTHONPATH": REAL_SALT + ":" + REAL_DEPS} if asked.salt_importable else {}
    configure(root, "salt_python: True\n" if asked.salt_importable else "")
    env["BRINE"] = os.environ.get("BRINE", ROOT)
    ours = side("ours", root, env, {"programs": [answer["call"] for answer in real["answers"]], "many": real["many"]})
    differ, count = [], 0
    for theirs, mine in zip(real["answers"], ours["answers"]):
        for call, a, b in pairs(theirs, mine, real["many"]):
            count += 1
            if a != b:
                differ.append({"site": site, "call": call, "real": a, "ours": b})
    with open(root + (".with" if asked.salt_importable else "") + ".differ.json", "w") as out:
        json.dump(differ, out, indent=1)
    whole["same"] += count - len(differ)
    whole["differ"] += len(differ)
    print("{}: {} calls, {} differ (real {:.0f} s, ours {:.0f} s)".format(site, count, len(differ), real["seconds"], ours["seconds"]), flush=True)


if __name__ == "__main__":
    main()
