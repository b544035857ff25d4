"""Tells what an installed Salt and its extensions have of a kind of modules (`modules`, `states`, `returners`, `renderers`, `pillar`), as JSON on standard output."""

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


def main(kind):
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]
    try:
        salt = importlib.import_module("salt")
        version = importlib.import_module("salt.version").__version__
    except Exception as error:
        return {"fault": "{}: {}".format(type(error).__name__, error)}
    faults = []
    folders = list(extension_folders(kind, faults))
    folders += [os.path.join(path, kind) for path in salt.__path__]
    return {"version": str(version), "files": files_of(folders), "faults": faults}


def extension_folders(kind, faults):
    """The folders of packages that extend Salt, in the forms in which they name them."""
    for point in entry_points():
        try:
            yield from folders_of(point.name, point.load(), kind)
        except Exception as error:
            faults.append("{} = {}: {}: {}".format(point.name, point.value, type(error).__name__, error))


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


def folders_of(name, loaded, kind):
    """A package with folders of kinds, a function that gives folders by kind, or one that gives those of the kind in its name."""
    if isinstance(loaded, types.ModuleType):
        given = [os.path.join(path, kind) for path in loaded.__path__]
    elif isinstance(loaded, types.FunctionType):
        given = loaded()
        if isinstance(given, dict):
            given = given.get(kind, ())
        elif name != {"modules": "module", "states": "states", "returners": "returner", "renderers": "render", "pillar": "pillar"}[kind] + "_dirs":
            given = ()
    else:
        raise ValueError("it is neither a package nor a function")
    if isinstance(given, str):
        raise ValueError("a list of folders is needed, not a text")
    return [str(path) for path in given if os.path.isdir(str(path))]


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
