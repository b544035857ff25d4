"""Which files of public sites a real Salt loads, and which ours does (loads.ts): `loads.py WORK ROOT…`, in a sandbox, writes WORK/loads.real.json.

A file is loaded when its code runs and `__virtual__` does not refuse. ROOT is a site as compare.py lays it out, after `saltutil.sync_all`.
"""

import json
import os
import signal
import sys

KINDS = "modules states grains runners pillar returners utils renderers beacons engines output tops wheel auth sdb queues".split()
OTHERS = {"outputters": "output"}
MASTERS = ("runners", "wheel")
SECONDS_MAX = 120


def files_of(root):
    """The files of a site as [kind, name, path]: a file, or a folder with `__init__.py`, as Salt's loader finds them."""
    for folder in sorted(os.listdir(os.path.join(root, "srv"))):
        kind = OTHERS.get(folder[1:], folder[1:])
        if not folder.startswith("_") or kind not in KINDS:
            continue
        top = os.path.join(root, "srv", folder)
        for name in sorted(os.listdir(top)):
            path = os.path.join(top, name)
            if os.path.isdir(path) and os.path.exists(os.path.join(path, "__init__.py")):
                yield [kind, name, os.path.join(path, "__init__.py")]
            elif name.endswith(".py") and not name.startswith(("brinecompared", "__init__")):
                yield [kind, name[:-3], path]


def of_site(root):
    """What the loader makes of each file: `loaded`, `refused: …` or `broken: …`."""
    import salt.config
    import salt.loader

    signal.alarm(SECONDS_MAX)
    minion = salt.config.minion_config(os.path.join(root, "minion"))
    minion["file_client"] = "local"
    minion["extension_modules"] = os.path.join(root, "nothing")
    master = salt.config.master_config(os.path.join(root, "master"))
    minion["grains"] = salt.loader.grains(minion)
    master["grains"] = minion["grains"]
    files = list(files_of(root))
    minion["utils_dirs"] = [os.path.join(root, "srv/_utils")]
    minion["module_dirs"] = []
    minion["extension_modules"] = os.path.join(root, "srv-as-cache")
    if not os.path.exists(minion["extension_modules"]):
        os.mkdir(minion["extension_modules"])
        for folder in os.listdir(os.path.join(root, "srv")):
            if folder.startswith("_"):
                os.symlink(os.path.join(root, "srv", folder), os.path.join(minion["extension_modules"], folder[1:]))
    utils = salt.loader.utils(minion)
    functions = salt.loader.minion_mods(minion, utils=utils)
    return {"grains": minion["grains"], "functions": sorted(functions), "files": [[*one, _tried(one, minion, functions, utils)] for one in files]}


def _tried(one, opts, functions, utils):
    import salt.loader.lazy

    kind, name, path = one
    tag = {"modules": "module", "runners": "runner", "returners": "returner", "renderers": "render"}.get(kind, kind)
    pack = {"__salt__": functions, "__utils__": utils, "__context__": {}, "__pillar__": {}, "__proxy__": {}, "__states__": {}, "__serializers__": {}, "__runner__": {}, "__ret__": {}}
    loader = salt.loader.lazy.LazyLoader([os.path.join(os.path.dirname(path) if not path.endswith("__init__.py") else os.path.dirname(os.path.dirname(path)))], opts, tag=tag, pack=pack, virtual_enable=kind != "grains")
    broken = []
    import logging

    class Kept(logging.Handler):
        def emit(self, record):
            broken.append(record.getMessage() + (" " + repr(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""))

    log = logging.getLogger("salt.loader.lazy")
    before = log.level, log.handlers
    log.handlers = [Kept()]
    log.setLevel(logging.DEBUG)
    loader._refresh_file_mapping()
    broken.clear()
    try:
        ok = loader._load_module(name) and name not in {one.partition(".")[0] for one in loader.missing_modules} or name in loader.loaded_files
        refused = [reason for known, reason in loader.missing_modules.items()]
        if refused:
            return "refused: " + str(refused[0])
        return "loaded" if ok and loader.loaded_modules or ok and kind == "grains" else "broken: " + "; ".join(broken)[-600:]
    except BaseException as error:
        return "broken: " + repr(error)
    finally:
        log.setLevel(before[0])
        log.handlers = before[1]


def main(work, roots):
    out = {}
    for root in roots:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            try:
                told = json.dumps(of_site(root), default=str)
            except BaseException as error:
                import traceback

                told = json.dumps({"fault": traceback.format_exc()})
            with os.fdopen(writing, "w") as stream:
                stream.write(told)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as stream:
            told = stream.read()
        os.waitpid(pid, 0)
        out[os.path.basename(root)] = json.loads(told) if told else {"fault": "the process ended"}
    sys.stdout.write("\x1e" + json.dumps(out))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
