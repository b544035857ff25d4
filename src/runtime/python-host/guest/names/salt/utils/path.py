"""Programs and paths."""

import os
import shutil
from collections.abc import Iterable


def which(exe=None):
    """The path of a program, or None."""
    return shutil.which(exe) if exe else None


def which_bin(exes):
    """The path of the first of these programs that is there, or None."""
    names = [exes] if isinstance(exes, str) else exes if isinstance(exes, Iterable) else []
    return next((found for found in map(which, names) if found), None)


def join(*parts, **_):
    """Parts as one path."""
    first, *others = [str(part) for part in parts]
    return os.path.normpath(os.path.join(first, *[part.lstrip("/") for part in others]))


def readlink(path):
    return os.readlink(path)


def islink(path):
    return os.path.islink(path)


def safe_path(path, allow_path=None):
    """Whether a path leads to nowhere else through links, unless below the path that is allowed."""
    real = os.path.realpath(path)
    return real == os.path.abspath(path) or (allow_path is not None and real.startswith(os.path.abspath(allow_path)))


def sanitize_win_path(winpath):
    """A path without what Windows does not take."""
    return "".join("_" if char in "<>:|?*" else char for char in winpath) if isinstance(winpath, str) else winpath


sanitize_win_path_string = sanitize_win_path


def expand(path):
    return os.path.realpath(os.path.expandvars(os.path.expanduser(path)))


def os_walk(top, *args, **kwargs):
    return os.walk(top, *args, **kwargs)


def check_or_die(command):
    """Refuses to go on where a program is missing."""
    from salt.exceptions import CommandNotFoundError

    if not command or which(command) is None:
        raise CommandNotFoundError("'{}' is not in the path".format(command))
