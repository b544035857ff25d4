"""Programs and paths."""

import os
import shutil


def which(exe=None):
    """The path of a program, or None."""
    return shutil.which(exe) if exe else None


def which_bin(exes):
    """The path of the first of these programs that is there, or None."""
    return next((found for found in map(which, exes) if found), None)


def join(*parts, **_):
    """Parts as one path."""
    return os.path.join(*[str(part) for part in parts])


def readlink(path):
    return os.readlink(path)


def islink(path):
    return os.path.islink(path)
