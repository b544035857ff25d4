"""Exceptions on their way between modules and the program."""

import ast
import builtins
import contextlib
import inspect
import linecache
import os
import re
import sys
import traceback

from brine_guest.pack import PackError, TypePackError, pack

FRAMES_MAX = 100
HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
RENDERERS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "renderers") + os.sep


# what Salt treats in a way of its own, in the order in which it looks
TREATED = (
    "salt.exceptions.CommandNotFoundError",
    "salt.exceptions.CommandExecutionError",
    "salt.exceptions.SaltInvocationError",
    "salt.exceptions.SaltClientError",
    "TypeError",
)


def raised(error, path):
    """An exception as [class, message, traceback, very class, [sentence, info]], the frames of this process left out.

    The class of one that Salt treats is the one that it treats; the very class is told where it is another.
    """
    kind = type(error)
    if kind is MemoryError and not error.args:
        error.args = ("there is no memory left for it; python_memory_bytes_max says how much there may be",)
    names = [_name(one) for one in kind.__mro__]
    name = next((one for one in TREATED if one in names), names[0])
    if isinstance(error, SystemExit):
        return [name, "it called sys.exit({!r})".format(error.code), _trace(error, path), None, None]
    return [name, text_of(error), _trace(error, path), None if name == names[0] else names[0], _about(error)]


def _about(error):
    """What Salt's CommandExecutionError knows besides, as [sentence, info]; None where it is no data."""
    info = getattr(error, "info", None)
    if not info or not isinstance(getattr(error, "error", None), str):
        return None
    try:
        pack(info)
    except PackError:
        return None
    return [error.error, info]


def text_of(error):
    """What an exception says; its class may fail at that."""
    try:
        return str(error)
    except BaseException:
        return "<exception str() failed>"


def no_data(error, path, name, function):
    """A value that cannot travel, as `raised` has exceptions. `name` is that of the function, as it is called."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    line = "" if code is None else ", line {}".format(code.co_firstlineno)
    fault = "is no data" if isinstance(error, TypePackError) else "cannot be returned"
    text = "what {} gives {}: {} ({}{})".format(name, fault, error, path, line)
    return ["salt.exceptions.CommandExecutionError", text, text, None, None]


def _name(kind):
    return kind.__name__ if kind.__module__ in ("builtins", "__main__") else "{}.{}".format(kind.__module__, kind.__name__)


def placed(error, path, sentences):
    """What an SLS has raised, as its traceback; of the classes `sentences` the sentence, with file and line, says it all."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return "".join(traceback.format_exception_only(type(error), error)).strip()
    if not isinstance(error, sentences):
        return _trace(error, path or "").rstrip("\n")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return "{} ({}, line {})".format(text_of(error), path, lines[-1]) if lines else text_of(error)


@contextlib.contextmanager
def sourced(path, text):
    """Has tracebacks show the lines that are run, which are not those of the file where a template made them."""
    if path is not None:
        linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    try:
        yield
    finally:
        linecache.cache.pop(path, None)


LINKS = {
    True: "\nThe above exception was the direct cause of the following exception:\n\n",
    False: "\nDuring handling of the above exception, another exception occurred:\n\n",
}


def _trace(error, path, seen=()):
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = []
    if before is not None and before not in seen and len(seen) < 20:
        lines += [_trace(before, path, (*seen, error)), LINKS[error.__cause__ is not None]]
    frames = traceback.extract_tb(error.__traceback__)
    first = next((at for at, frame in enumerate(frames) if frame.filename == path), 0)
    ours = (HERE,) if path.startswith(RENDERERS) else (HERE, RENDERERS)
    frames = [frame for frame in frames[first:] if not frame.filename.startswith(ours)]
    lines.append("Traceback (most recent call last):\n")
    shown = traceback.format_list(frames)
    lines += shown[:FRAMES_MAX]
    if len(shown) > FRAMES_MAX:
        lines.append("  [{} further frames]\n".format(len(shown) - FRAMES_MAX))
    lines += traceback.format_exception_only(type(error), error)
    return "".join(lines)


# errors of the program by the names that Python has for them
SAME = {
    "ArgumentError": "TypeError",
    "ClientError": "SaltClientError",
    "MasterDownError": "SaltClientError",
    "NoMinionsError": "SaltClientError",
    "NotAuthorisedError": "AuthorizationError",
    "UnreachableError": "SaltClientError",
}


def to_exception(name, message, kind=None, about=None):
    """The exception that a function of the program has thrown, by the name of its class; `kind` is that of a file which is loaded here."""
    own = _of_package(kind or name)
    if _is_raisable(own):
        return _made_anyhow(own, message, about)
    for known in _classes(name):
        if _is_raisable(known):
            try:
                return _made(known, message, about)
            except TypeError:
                pass
    return Exception(message)


def _is_raisable(known):
    return isinstance(known, type) and issubclass(known, Exception)


def _made_anyhow(known, message, about):
    """An exception of a site's class, whose constructor may want something else than a message."""
    try:
        error = _made(known, message, about)
        if text_of(error) == message:
            return error
    except Exception:
        pass
    error = known.__new__(known, message)
    # what it is besides is made by the first of its ancestors that is no file's own
    next(one for one in known.__mro__ if one.__module__ in ("builtins", "salt.exceptions")).__init__(error, message)
    return error


# [Errno 2] No such file or directory: 'path'
OF_SYSTEM = re.compile(r"\[Errno (-?\d+)\] (.*?)(?:: ('.*'|\".*\"))?", re.S)


def _made(known, message, about=None):
    """An exception of which only the text is known. What a module looks at, the key or the number of the error, is in the text."""
    if about and issubclass(known, _of_package("salt.exceptions.CommandExecutionError") or ()):
        return known(about[0], info=about[1])
    if issubclass(known, KeyError):
        return known(_literal(message))
    told = OF_SYSTEM.fullmatch(message) if issubclass(known, OSError) else None
    if told is None:
        return known(message)
    number, text, path = told.groups()
    return known(int(number), text) if path is None else known(int(number), text, _literal(path))


def _literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _of_package(name):
    """What a full name means in a module that is imported here; None where it means nothing."""
    package, _, short = name.rpartition(".")
    return getattr(sys.modules[package], short, None) if package in sys.modules else None


def _classes(name):
    """What the name may mean: the class of a package that is imported here, one of Salt's, one of Python's own."""
    short = name.rpartition(".")[2]
    yield _of_package(name)
    short = SAME.get(name, short)
    try:
        import salt.exceptions

        yield getattr(salt.exceptions, short, None)
    except ImportError:
        pass
    yield getattr(builtins, short, None)
