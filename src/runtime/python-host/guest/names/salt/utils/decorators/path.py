"""Functions that need a program."""

import functools

from salt.exceptions import CommandNotFoundError
from salt.utils import path as _path


def which(exe):
    """Refuses the call where a program is missing."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if _path.which(exe) is None:
                raise CommandNotFoundError("The '{}' binary was not found in $PATH.".format(exe))
            return function(*args, **kwargs)

        return wrapper

    return decorate


def which_bin(exes):
    """Refuses the call where all of these programs are missing."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if _path.which_bin(exes) is None:
                raise CommandNotFoundError("None of provided binaries({}) was found in $PATH.".format(["'{}'".format(exe) for exe in exes]))
            return function(*args, **kwargs)

        return wrapper

    return decorate
