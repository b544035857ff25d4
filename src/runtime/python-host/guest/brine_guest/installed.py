"""What modules of an installed Salt expect besides what a site's own do."""

import collections
import contextlib
import importlib
import inspect
import os
import types

from brine_guest.dunders import Functions, Shown


def options_for(code, opts):
    """The options of a module, with its own defaults and, for a file of Salt's, those of options that Brine does not have."""
    own = getattr(code, "__own_opts__", None) or {}
    if _is_of_salt(getattr(code, "__file__", None) or ""):
        own = dict(importlib.import_module("salt.config").DEFAULT_MINION_OPTS, **own)
    return Shown(own, **opts) if own else opts


def _is_of_salt(path):
    if os.sep + "salt" + os.sep not in path:
        return False
    roots = importlib.import_module("salt").__path__
    return any(path.startswith(os.path.abspath(root) + os.sep) for root in roots)


class _Compiler(types.SimpleNamespace):
    """What `pydsl` wants of Salt's state compiler, which is not the one that runs (salt/utils/pydsl.py, 3006.16)."""

    def __getattr__(self, name):
        raise NotImplementedError("pydsl wants {} of Salt's own state compiler, which is not there: include SLS that need it in YAML".format(name))


@contextlib.contextmanager
def compiling(kind, path, functions):
    """Runs a renderer of Salt's. Its `pydsl` finds the state compiler by itself; each file of it has one."""
    if kind != "renderers" or os.path.basename(path) != "pydsl.py" or not _is_of_salt(path):
        yield
        return
    stack = importlib.import_module("salt.state").HighState.stack
    stack.append(
        _Compiler(
            building_highstate=collections.OrderedDict(),
            _pydsl_all_decls={},
            _pydsl_render_stack=[],
            state=types.SimpleNamespace(functions=functions),
        )
    )
    try:
        yield
    finally:
        stack.pop()


def fitting(function, kwargs):
    """Keywords of an external pillar: `extra_minion_data` is for those that name it (salt/pillar/__init__.py, 3006.16)."""
    if "extra_minion_data" not in kwargs or "extra_minion_data" in inspect.signature(function).parameters:
        return kwargs
    return {key: value for key, value in kwargs.items() if key != "extra_minion_data"}


def without_callbacks(kwargs):
    """Keywords for a function of the program, which has the functions of `salt=__salt__` itself.

    One that would hide secrets from the log cannot be called there, so nothing is logged.
    """
    kwargs = {key: value for key, value in kwargs.items() if not isinstance(value, Functions)}
    if not callable(kwargs.get("log_callback")):
        return kwargs
    return dict({key: value for key, value in kwargs.items() if key != "log_callback"}, output_loglevel="quiet")
