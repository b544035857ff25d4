"""Tells what an installed Salt has of a kind of modules (`modules`, `states`, `returners`, `renderers`, `pillar`) or, asked for `packages`, in which folders
packages that extend Salt have modules of which kinds, as JSON on standard output."""

import importlib
import json
import os
import re
import sys
import types

LOOK_CHARS = 65536
ENTRY_POINTS = "salt.loader"
GIVES_ITSELF = re.compile(r"^__virtualname__\s*=\s*['\"](\w+)['\"]", re.M)
VIRTUAL = re.compile(r"^def __virtual__\(\):\n(?:[ \t]+.*\n|\n)*", re.M)
RETURNED = re.compile(r"return ['\"](\w+)['\"]\s*$", re.M)


# kinds of which packages may have folders, and what Salt calls those in options and in entry points of old
FOLDERS = {
    "modules": "module_dirs",
    "states": "states_dirs",
    "returners": "returner_dirs",
    "renderers": "render_dirs",
    "grains": "grains_dirs",
    "pillar": "pillar_dirs",
    "runners": "runner_dirs",
    "wheel": "wheel_dirs",
    "beacons": "beacons_dirs",
    "engines": "engines_dirs",
    "output": "outputter_dirs",
    "tops": "top_dirs",
    "auth": "auth_dirs",
    "sdb": "sdb_dirs",
    "queues": "queue_dirs",
}


def main(kind):
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]
    if kind == "packages":
        return packages()
    try:
        salt = importlib.import_module("salt")
        version = importlib.import_module("salt.version").__version__
    except Exception as error:
        return {"fault": "{}: {}".format(type(error).__name__, error)}
    return {"version": str(version), "files": files_of([os.path.join(path, kind) for path in salt.__path__])}


def packages():
    """The folders of packages that extend Salt by kind, in the forms in which they name them (salt/loader/__init__.py `_module_dirs`, 3006.16)."""
    folders, faults = {}, []
    for point in entry_points():
        name = "{} = {}".format(point.name, point.value)
        try:
            loaded = point.load()
            given = loaded() if isinstance(loaded, types.FunctionType) else None
            if given is None and not isinstance(loaded, types.ModuleType):
                raise ValueError("the entry point is neither a package nor a function that gives folders")
        except Exception as error:
            faults.append("{}: {}: {}".format(name, type(error).__name__, error))
            continue
        for kind in FOLDERS:
            try:
                folders.setdefault(kind, []).extend(folders_of(point.name, loaded, given, kind))
            except Exception as error:
                faults.append("{}: {}: {}".format(name, kind, error))
    return {"folders": {kind: found for kind, found in folders.items() if found}, "faults": faults}


def entry_points():
    try:
        from importlib.metadata import entry_points as found
    except ImportError:
        return []
    try:
        return list(found(group=ENTRY_POINTS))
    except TypeError:  # Python before 3.10
        # a package that is on the path twice is listed twice
        return list({(one.name, one.value): one for one in found().get(ENTRY_POINTS, ())}.values())


def folders_of(name, loaded, given, kind):
    """A package with folders of kinds, a function that gives folders by kind, or one that gives those of the kind in its name."""
    if isinstance(loaded, types.ModuleType):
        given = [os.path.join(path, kind) for path in loaded.__path__]
    elif isinstance(given, dict):
        given = given.get(kind, ())
    elif name != FOLDERS[kind]:
        given = ()
    if isinstance(given, str):
        raise ValueError("a list of folders is needed, not a text")
    return [path for path in dict.fromkeys(str(path) for path in given) if os.path.isdir(path)]


def files_of(folders):
    """Each file as [its name, its path, the names that its module may have]; of two files of one name the first folder's counts."""
    found = {}
    for folder in folders:
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            name, ending = os.path.splitext(entry)
            if ending != ".py" or not name.isidentifier() or name.startswith("__"):
                continue
            path = os.path.join(folder, entry)
            found.setdefault(name, [name, path, names_of(name, path)])
    return list(found.values())


def names_of(file, path):
    with open(path, encoding="utf-8", errors="replace") as handle:
        text = handle.read(LOOK_CHARS)
    own = GIVES_ITSELF.search(text)
    if own is not None:
        return [own.group(1)]
    virtual = VIRTUAL.search(text)
    return sorted({file, *RETURNED.findall(virtual.group(0) if virtual else "")})


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
