"""Exceptions on their way between modules and the program."""

import builtins
import os
import traceback

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def raised(error, path):
    """An exception as [class, message, traceback], the frames of this process left out."""
    kind = type(error)
    if kind is MemoryError and not error.args:
        error.args = ("there is no memory left for it; python_memory_bytes_max says how much there may be",)
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else "{}.{}".format(kind.__module__, kind.__name__)
    if isinstance(error, SystemExit):
        return [name, "it called sys.exit({!r})".format(error.code), _trace(error, path)]
    return [name, str(error), _trace(error, path)]


def _trace(error, path):
    frames = traceback.extract_tb(error.__traceback__)
    first = next((at for at, frame in enumerate(frames) if frame.filename == path), 0)
    lines = ["Traceback (most recent call last):\n"]
    lines += traceback.format_list([frame for frame in frames[first:] if not frame.filename.startswith(HERE)])
    lines += traceback.format_exception_only(type(error), error)
    return "".join(lines)


def to_exception(name, message):
    """The exception that a function of the program has thrown, by the name of its class."""
    short = name.rpartition(".")[2]
    try:
        import salt.exceptions

        known = getattr(salt.exceptions, short, None)
    except ImportError:
        known = None
    known = known or getattr(builtins, short, None)
    if isinstance(known, type) and issubclass(known, Exception):
        try:
            return known(message)
        except TypeError:
            pass
    return Exception(message)
