"""Compiles the SLS of public sites that need their own Python, on a real Salt and on ours, and prints what differs.

    nice python3 test/compare/site-python/sls.py --mirrors DIR --work DIR [--salt-importable] [--again] [--most N] [SITE…]

These are SLS in `#!py` and its like, and those that name a module of the site: one of its execution modules in Jinja, one of its states. They
are laid out with everything beside them, and with the site's pillar where it has one that renders, its secret parts being empty. With --salt-importable ours may use the real Salt's
modules (`salt_python`). The rest is as in compare.py.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess

import compare
import yaml

SHEBANG = re.compile(r"^#!.*\b(py|pyobjects|pydsl|mako|stateconf)\b")
ROOTS = ("", "salt", "states", "srv/salt", "srv/salt/base", "salt/base", "salt/roots", "states/base", "srv", "file_roots", "salt/states", "roots", "salt-states")
PILLARS = ("pillar", "srv/pillar", "pillar/base", "salt/pillar", "pillars", "pillar/dev", "Documentation/example-pillar")
# where no top file tells
KNOWN_ROOTS = {
    "SUSE/DeepSea": "srv/salt",
    "ceph/ceph-salt": "ceph-salt-formula/salt",
    "makinacorpus/makina-states": "salt",
    "mateiw/uyuni": "susemanager-utils/susemanager-sls/salt",
    "openSUSE/salt-formulas": "*-formula",
    "rbkmoney/salt-common": "sls",
    "scality/metalk8s": "salt",
}
BYTES_MAX = 2_000_000


def lay(site, folders, mirrors, root, most):
    """Lays a site out. Returns the names of the SLS that need its Python."""
    compare.lay(site, folders, mirrors, root)
    whole = os.path.join(root, "whole")
    os.makedirs(whole)
    lay_whole(["git", "-C", compare.git_directory(mirrors, site)], whole)
    for top in sorted(glob.glob(os.path.join(whole, root_of(site, whole)))):
        for name in os.listdir(top):
            if not name.startswith(("_", ".git")) or name == "_macros":
                put(os.path.join(top, name), os.path.join(root, "srv", name))
    pillar = next((one for one in PILLARS if os.path.exists(os.path.join(whole, one, "top.sls"))), None)
    if pillar is not None:
        shutil.rmtree(os.path.join(root, "pillar"))
        put(os.path.join(whole, pillar), os.path.join(root, "pillar"))
        fill(os.path.join(root, "pillar"))
    shutil.rmtree(whole)
    found = list(wanted(root, own_names(root)))
    return found[:: max(1, -(-len(found) // most))]


def root_of(site, whole):
    """The folder in a repository that the file roots name, or a pattern of them."""
    if site in KNOWN_ROOTS:
        return KNOWN_ROOTS[site]
    top = next((one for one in ROOTS if one and os.path.exists(os.path.join(whole, one, "top.sls"))), None)
    return top or max(ROOTS, key=lambda one: (os.path.isdir(os.path.join(whole, one)), count(os.path.join(whole, one)) * (1 if one else 0.5)))


def fill(pillar):
    """What a top file names and the repository does not have, since it is secret, is empty."""
    with open(os.path.join(pillar, "top.sls"), errors="replace") as stream:
        names = re.findall(r"^\s+- ['\"]?([\w.-]+)['\"]?\s*(?:#.*)?$", stream.read(), re.M)
    for path in (os.path.join(pillar, *name.split(".")) for name in names):
        if not os.path.lexists(path + ".sls") and not os.path.lexists(os.path.join(path, "init.sls")):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".sls", "w") as out:
                out.write("{}\n")


def lay_whole(git, whole):
    """All files of a repository but those that its copy lacks."""
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], stdout=subprocess.PIPE, check=True).stdout.decode("utf8", "surrogateescape")
    blobs = [line.partition("\t") for line in listed.split("\0") if line.startswith(("100", "120"))]
    asked = "".join(about.split()[2] + "\n" for about, _, _ in blobs).encode()
    told = subprocess.run([*git, "cat-file", "--batch"], input=asked, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for about, _, name in blobs:
        end = told.index(b"\n", at)
        head, at = told[at:end].split(), end + 1
        if head[1] == b"missing":
            continue
        data, at = told[at : at + int(head[2])], at + int(head[2]) + 1
        path = os.path.join(whole, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if about.startswith("120"):
            os.symlink(data, os.fsencode(path))
            continue
        with open(path, "wb") as out:
            out.write(data)


def count(folder):
    return sum(1 for name in os.listdir(folder) if name.endswith(".sls") or os.path.exists(os.path.join(folder, name, "init.sls"))) if os.path.isdir(folder) else 0


def put(source, dest):
    if os.path.exists(dest):
        return
    (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, dest, **({"symlinks": True} if os.path.isdir(source) else {"follow_symlinks": False}))


def own_names(root):
    """What templates and SLS call the site's modules and states."""
    names = {"modules": set(), "states": set()}
    for kind, found in names.items():
        folder = os.path.join(root, "srv/_" + kind)
        for name in os.listdir(folder):
            if not name.endswith(".py") or name.startswith(("brinecompared", "__")):
                continue
            with open(os.path.join(folder, name), errors="replace") as stream:
                virtual = re.search(r"^__virtualname__\s*=\s*['\"](\w+)", stream.read(), re.M)
            found.add(virtual.group(1) if virtual else name[:-3])
    return names


def wanted(root, names):
    modules, states = ("|".join(sorted(map(re.escape, names[kind]))) or "(?!)" for kind in ("modules", "states"))
    calls = re.compile(r"salt(?:\[\s*['\"]|\.)(?:%s)\.\w" % modules)
    uses = re.compile(r"^\s+-?\s*(?:%s)(?:\.\w+\s*:|:\s*$)" % states, re.M)
    srv = os.path.join(root, "srv")
    for folder, _, files in sorted(os.walk(srv)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.endswith(".sls") or name == "top.sls" or os.path.islink(path) and not os.path.exists(path) or os.path.getsize(path) > BYTES_MAX:
                continue
            with open(path, errors="replace") as stream:
                text = stream.read()
            if SHEBANG.match(text) or calls.search(text) or uses.search(text):
                words = os.path.relpath(path, srv)[:-4].split(os.sep)
                yield ".".join(words[:-1] if words[-1] == "init" and len(words) > 1 else words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--salt-importable", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("sites", nargs="*")
    asked = parser.parse_args()
    with open(os.path.join(compare.HERE, "sites.yaml")) as stream:
        known = yaml.safe_load(stream)
    for site in asked.sites or known:
        compiled(site, known[site], asked)


def compiled_by_real(root, found):
    calls = [{"kind": "modules", "fun": "state.show_low_sls", "kwargs": {"mods": one}} for one in found]
    path = os.path.join(root, "calls.json")
    programs = [{"program": "salt-call", "words": ["saltutil.sync_all"]}, {"program": "salt-call", "many": "modules", "words": ["brinecompared.batch", path, "modules"]}]
    env = {"PYTHONPATH": compare.REAL_SALT + ":" + compare.REAL_DEPS, "PYTHONDONTWRITEBYTECODE": "1"}
    return compare.side("real", root, env, {"programs": programs, "many": {"modules": calls}})


def untraced(a, b):
    """Of an error of a template ours has no traceback, and only the sentence before it is compared; of one of `run()` no frames are."""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        both = [untraced(*one) for one in zip(a, b)]
        return [one for one, _ in both], [one for _, one in both]
    if isinstance(a, str) and isinstance(b, str) and "Traceback (most recent call last)" in a:
        if "Traceback (most recent call last)" in b:
            return compare.without_frames(a), compare.without_frames(b)
        return a.split("\n", 1)[0], re.split(r"; line \d|\n", b, maxsplit=1)[0]
    return a, b


def compiled(site, folders, asked):
    root = os.path.join(os.path.abspath(asked.work), site.replace("/", "+"))
    kept = root + ".real.json"
    if not (asked.again and os.path.exists(kept)):
        found = lay(site, folders, asked.mirrors, root, asked.most)
        if not found:
            print("{}: no SLS needs its Python".format(site), flush=True)
            return
        real = compiled_by_real(root, found)
        if all("Pillar failed to render" in str(one) for one in real["answers"][1]["many"]):
            with open(os.path.join(root, "pillar/top.sls"), "w") as out:
                out.write("{}\n")
            real = compiled_by_real(root, found)
        with open(kept, "w") as out:
            json.dump(real, out)
    with open(kept) as stream:
        real = json.load(stream)
    env = {"PYTHONPATH": compare.REAL_SALT + ":" + compare.REAL_DEPS} if asked.salt_importable else {}
    env.update(BRINE=os.environ.get("BRINE", compare.ROOT), PYTHONDONTWRITEBYTECODE="1")
    with open(os.path.join(root, "minion.d/python.conf"), "w") as out:
        out.write("salt_python: {}\n".format(asked.salt_importable))
    ours = compare.side("ours", root, env, {"programs": [answer["call"] for answer in real["answers"]], "many": real["many"]})
    differ, kinds = [], {"compile on both": 0, "fail on both": 0}
    for theirs, mine in list(zip(real["answers"], ours["answers"]))[1:]:
        for at, call in enumerate(real["many"][theirs["call"]["many"]]):
            a, b = (compare.settled(one["many"][at]) if at < len(one["many"]) else compare.told(one) for one in (theirs, mine))
            a, b = untraced(a, b)
            fails = [not isinstance(one, list) or one[0] != "gave" or not isinstance(one[1], list) or any(isinstance(low, str) for low in one[1]) for one in (a, b)]
            if a != b and not all(fails):
                differ.append({"site": site, "call": call, "real": a, "ours": b})
            elif a != b:
                kinds["fail on both, in other words"] = kinds.get("fail on both, in other words", 0) + 1
                differ.append({"site": site, "call": dict(call, both="fail"), "real": a, "ours": b})
            else:
                kinds["fail on both" if fails[0] else "compile on both"] += 1
    with open(root + (".with" if asked.salt_importable else "") + ".differ.json", "w") as out:
        json.dump(differ, out, indent=1)
    told = dict(kinds, **{"differ": sum(1 for one in differ if "both" not in one["call"])})
    print("{}: {} (real {:.0f} s, ours {:.0f} s)".format(site, ", ".join("{} {}".format(*one) for one in told.items()), real["seconds"], ours["seconds"]), flush=True)


if __name__ == "__main__":
    main()
