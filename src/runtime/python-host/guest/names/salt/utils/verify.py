"""Whether names and paths may be used."""

import os


def clean_path(root, path, subdir=False, realpath=True):
    """A path directly below a folder, or with `subdir` anywhere below it; an empty text of any other."""
    below = os.path.normpath(os.path.abspath(root))
    full = os.path.normpath(os.path.join(below, path))
    if realpath:
        below, full = os.path.realpath(below), os.path.realpath(full)
    allowed = os.path.commonpath([full, below]) == below if subdir else os.path.dirname(full) == below
    return full if allowed else ""


def valid_id(opts, id_):
    """Whether a minion can be called so."""
    try:
        return not any(char in id_ for char in "/\\\0") and bool(clean_path(opts["pki_dir"], id_))
    except (AttributeError, KeyError, TypeError, UnicodeDecodeError):
        return False
