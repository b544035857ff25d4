"""Parts of an installed Salt's packages as their attributes: where Salt itself runs, its loader has imported them long before a site's file looks."""

import functools
import importlib
import importlib.util
import os
import sys

NAMES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "names")
PACKAGES = ("salt", "salt.utils", "salt.modules", "salt.states")


@functools.lru_cache(maxsize=None)
def is_installed():
    """Whether `salt` is that of an installation, and not the names that Brine has."""
    spec = importlib.util.find_spec("salt")
    return spec is not None and not (spec.origin or NAMES).startswith(NAMES)


def prepare(path):
    """Before a file is loaded that looks at parts of `salt.utils`."""
    if not is_installed():
        return
    with open(path, "rb") as source:
        if b"salt.utils" not in source.read():
            return
    try:
        importlib.import_module("salt.utils")
    except Exception:
        return  # the file will say what is wrong with it
    for name in PACKAGES:
        package = sys.modules.get(name)
        if package is not None and "__getattr__" not in vars(package):
            package.__getattr__ = functools.partial(_part, name)


def _part(package, name):
    if not name.startswith("__"):
        full = package + "." + name
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
    raise AttributeError("module '{}' has no attribute '{}'".format(package, name))
