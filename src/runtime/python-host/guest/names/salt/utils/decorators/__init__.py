"""Decorators of modules' functions."""

import collections
import functools
import inspect
import shlex
import subprocess

from salt._parts import part_of


def __getattr__(name):
    return part_of(__name__, name)


class depends:
    """Publishes a function only where names of its module are true (a failed import leaves them out), or a command ends as wanted."""

    # by kind and name of the module: what its functions need
    _wanted = collections.defaultdict(list)

    def __init__(self, *dependencies, **kwargs):
        self._dependencies = dependencies
        self._params = kwargs

    def __call__(self, function):
        frame = inspect.currentframe().f_back
        *_, kind, module = ["", *frame.f_globals.get("__name__", "").split(".")][-2:]
        for dependency in self._dependencies:
            self._wanted[kind, module].append((dependency, function.__name__, frame.f_globals, self._params))
        return function

    @classmethod
    def enforce_dependencies(cls, functions, kind, tgt_mod):
        """Takes away, or replaces, the functions of a module whose needs are not met; they are named as the loader names them."""
        for dependency, function, seen, params in cls._wanted[kind, tgt_mod]:
            name = "{}.{}".format(tgt_mod, seen.get("__func_alias__", {}).get(function, function))
            if name not in functions or _is_met(dependency, seen, params):
                continue
            if params.get("fallback_function") is None:
                del functions[name]
            else:
                functions[name] = params["fallback_function"]


def _is_met(dependency, seen, params):
    if "retcode" in params or "nonzero_retcode" in params:
        code = _code_of(dependency)
        if "retcode" in params:
            return code == params["retcode"]
        return (code != 0) == bool(params["nonzero_retcode"])
    if dependency is True:
        return True
    found = seen.get(dependency)
    if not found or "version" not in params:
        return bool(found)
    from salt.utils.versions import version_cmp

    return version_cmp(getattr(found, "__version__", None), params["version"]) >= 0


def _code_of(command):
    try:
        return subprocess.run(shlex.split(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    except OSError:
        return -1


def timing(function):
    """The function; how long it takes is not written down."""
    return function


def memoize(func):
    """Keeps what a function gave for the same arguments."""
    kept = {}

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        key = str(args) + str(kwargs)
        if key not in kept:
            kept[key] = func(*args, **kwargs)
        return kept[key]

    return wrapper


def ignores_kwargs(*kwarg_names):
    """Leaves these keywords out of the call."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **{key: value for key, value in kwargs.items() if key not in kwarg_names})

        return wrapper

    return decorate


def ensure_unicode_args(function):
    """Texts are, in Python 3."""
    return function


def allow_one_of(*names):
    """Refuses a call with more than one of these keywords."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            given = [name for name in names if kwargs.get(name)]
            if len(given) > 1:
                raise TypeError("Only one of the following is allowed: {}".format(", ".join(names)))
            return function(*args, **kwargs)

        return wrapper

    return decorate


require_one_of = allow_one_of


def is_deprecated(globals, version, with_successor=None):
    """The function; a warning is nobody's here."""
    return lambda function: function


def with_deprecated(globals, version, with_name=None, policy=None):
    return lambda function: function


class _WithDeprecated:
    OPT_IN, OPT_OUT = 1, 2


with_deprecated.OPT_IN, with_deprecated.OPT_OUT = _WithDeprecated.OPT_IN, _WithDeprecated.OPT_OUT


def warn_until(*_, **__):
    return lambda function: function
