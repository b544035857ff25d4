"""Has a real Salt give top data, pillar and rendered files for the cases beside this file, and records them for the unit tests.

    PYTHONPATH=SALT:SHIM /usr/bin/python3 test/compare/site-sources/record.py [NAME…]

with SALT a checkout of Salt 3006.16; `reclass`, `hglib`, `pysvn` and `nacl` have
to be installed for that Python. Reads cases.yaml, writes
test/fixtures/site-sources/recorded.json; with names only those cases, and the others stay as they are.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import yaml

import salt.config
import salt.daemons.masterapi
import salt.loader
import salt.pillar
import salt.template

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../../fixtures/site-sources/recorded.json")
# the pillar svn hands it text, which fails before anything is read; what it would do behind that is wanted
MD5 = hashlib.md5
hashlib.md5 = lambda data=b"", **words: MD5(data.encode() if isinstance(data, str) else data, **words)
PATH = os.environ["PATH"]
SYS_PATH = list(sys.path)
GRAINS = {"id": "web01", "os": "Debian", "roles": ["web"]}


def options(case, root):
    opts = salt.config.master_config(None)
    given = json.loads(json.dumps(case.get("opts", {})).replace("ROOT", root))
    opts.update(cachedir=root + "/cache", root_dir=root, extension_modules=root + "/ext", log_level="quiet")
    opts.update(pillar_roots={"base": [root + "/pillar"]}, file_roots={"base": [root + "/states"]}, id="web01", grains=dict(GRAINS))
    opts.update(given)
    return opts


def tops(opts, case):
    api = salt.daemons.masterapi.RemoteFuncs.__new__(salt.daemons.masterapi.RemoteFuncs)
    api.opts = opts
    api.tops = salt.loader.tops(opts)
    # one that fails is left out by Salt; here its error is wanted, too
    for name in opts["master_tops"]:
        if name in api.tops:
            api.tops[name](opts={"id": "web01", **case.get("minion", {})}, grains=dict(GRAINS))
    return api._master_tops({"id": "web01", "opts": {"id": "web01", "grains": dict(GRAINS), **case.get("minion", {})}}, skip_verify=True)


def pillar(opts, case):
    opts["pillarenv"] = None
    return salt.pillar.Pillar(opts, dict(GRAINS), "web01", None).compile_pillar()


def render(opts, case):
    opts["__role"] = "minion"
    opts["file_client"] = "local"
    functions = salt.loader.minion_mods(opts)
    renderers = salt.loader.render(opts, functions)
    path = os.path.join(opts["root_dir"], case["render"])
    return salt.template.compile_template(path, renderers, "jinja|yaml", [], [], saltenv="base", sls=case.get("sls", "web"))


def plain(value):
    if isinstance(value, dict):
        return {text(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("utf8", "replace")
    if isinstance(value, str):
        return text(value)
    return value if value is None or isinstance(value, (int, float, bool)) else str(value)


def text(value):
    # those of yamlex print with quotes, which are no part of them
    return str.__str__(value) if isinstance(value, str) else str(value)


def record(case):
    root = tempfile.mkdtemp(prefix="site-sources-")
    try:
        for path, text in case.get("files", {}).items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as stream:
                stream.write(text.replace("ROOT", root))
            os.chmod(full, 0o755)
        if "sqlite" in case:
            with sqlite3.connect(os.path.join(root, "pillar.db")) as database:
                database.executescript(case["sqlite"])
        if "setup" in case:
            subprocess.run(["/bin/sh", "-c", case["setup"]], cwd=root, check=True)
        os.environ["PATH"] = root + "/bin:" + PATH
        sys.path[:] = [root + "/python", *SYS_PATH]
        opts = options(case, root)
        kind = tops if "tops" in case else render if "render" in case else pillar
        try:
            got = {"gave": plain(kind(opts, case))}
        except Exception as error:
            got = {"raised": type(error).__name__, "text": str(error)}
        return json.loads(json.dumps(got).replace(root, "ROOT"))
    finally:
        shutil.rmtree(root)


def main():
    with open(os.path.join(HERE, "cases.yaml")) as stream:
        cases = yaml.safe_load(stream)
    known = {}
    if os.path.exists(OUT):
        with open(OUT) as stream:
            known = json.load(stream)
    wanted = set(sys.argv[1:])
    out = {}
    for case in cases:
        name = case["name"]
        if wanted and name not in wanted and name in known:
            out[name] = known[name]
            continue
        out[name] = record(case)
        print(name, json.dumps(out[name])[:300])
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    with open(OUT, "w") as stream:
        json.dump(out, stream, indent=1)
        stream.write("\n")


main()
