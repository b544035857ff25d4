"""Paths."""

import os


def is_writeable(path, check_parent=False):
    """Whether a file can be written; with `check_parent` also where there is none yet."""
    if os.access(path, os.F_OK):
        return os.access(path, os.W_OK)
    folder = os.path.dirname(path) or os.getcwd()
    return bool(check_parent) and os.access(folder, os.W_OK)


def is_readable(path):
    return os.access(path, os.F_OK) and os.access(path, os.R_OK)


def is_executable(path):
    return os.access(path, os.X_OK)
