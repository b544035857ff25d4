"""Decorators of modules' functions."""

import functools
import importlib

from salt._parts import part_of


def __getattr__(name):
    return part_of(__name__, name)


class _Absent:
    """Stands in for a function whose needs are not met; modules do not publish it."""

    def __init__(self, function, missing):
        self.__doc__ = function.__doc__
        self._text = "{} needs {}, which is not there".format(function.__name__, ", ".join(missing))

    def __call__(self, *_, **__):
        from salt.exceptions import CommandExecutionError

        raise CommandExecutionError(self._text)


class depends:
    """Publishes a function only where names of its module are true (a failed import leaves them out), or a module can be imported."""

    def __init__(self, *dependencies, **kwargs):
        self._dependencies = dependencies
        self._fallback = kwargs.get("fallback_function")
        self._others = kwargs

    def __call__(self, function):
        missing = [str(one) for one in self._dependencies if not _is_met(one, function)]
        if not missing:
            return function
        return self._fallback if self._fallback is not None else _Absent(function, missing)

    @classmethod
    def enforce_dependencies(cls, functions, kind=None, tgt_mod=None):
        """Has been done where the functions were made."""


def _is_met(dependency, function):
    if dependency is True or dependency is False:
        return dependency
    if not isinstance(dependency, str):
        return bool(dependency)
    if dependency in function.__globals__:
        return bool(function.__globals__[dependency])
    try:
        importlib.import_module(dependency)
        return True
    except ImportError:
        return False


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
