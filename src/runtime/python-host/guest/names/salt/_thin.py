"""`salt.modules.x`, `salt.states.x` and their like: modules whose functions are those of `__salt__`, `__states__` …"""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

from salt._here import MODULES, STATES
from salt._seen import seen

KINDS = {"salt.modules": ("__salt__", MODULES), "salt.states": ("__states__", STATES)}


class ThinModule(types.ModuleType):
    """A module of Salt's whose functions are looked up when they are called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kind, _, file = self.__name__.rpartition(".")
        dunder, known = KINDS[kind]
        full = "{}.{}".format(known[file], name.strip("_"))

        def call(*args, **kwargs):
            # a file of grains may have made a __salt__ of its own, out of functions such as this one
            functions = seen("__functions__", None) if dunder == "__salt__" else None
            function = (seen(dunder) if functions is None else functions)[full]
            if function is call:
                raise RuntimeError("{} is there only while a function of a module runs".format(full))
            return function(*args, **kwargs)

        call.__name__ = name
        call.__module__ = self.__name__
        return call


class ThinFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes after all others: what has a file of its own is taken from there."""

    def find_spec(self, fullname, path=None, target=None):
        kind, _, file = fullname.rpartition(".")
        if kind not in KINDS:
            return None
        if file not in KINDS[kind][1]:
            raise ImportError(unknown(fullname), name=fullname)
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec):
        return ThinModule(spec.name, "Functions that are called through their dunder.")

    def exec_module(self, module):
        pass


def unknown(fullname):
    return (
        "{} is a module of Salt's own that Brine does not have: with a Salt that {} can import it would be there "
        "(python_executable names another interpreter)"
    ).format(fullname, sys.executable)


def install():
    """Makes `import salt.modules.x` work."""
    if not any(isinstance(finder, ThinFinder) for finder in sys.meta_path):
        sys.meta_path.append(ThinFinder())


def lazily(package):
    """A `__getattr__` for such a package."""
    install()

    def find(name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return importlib.import_module(package + "." + name)
        except ImportError as error:
            raise AttributeError(str(error)) from None

    return find
