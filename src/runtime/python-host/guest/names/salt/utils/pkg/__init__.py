"""Packages."""

import os
import re




def rtag(opts):
    """The file that says that the lists of packages are to be refreshed."""
    return os.path.join(opts["cachedir"], "pkg_refresh")


def write_rtag(opts):
    path = rtag(opts)
    if not os.path.exists(path):
        with open(path, "w"):
            pass


def clear_rtag(opts):
    try:
        os.remove(rtag(opts))
    except OSError:
        pass


def is_refresh(opts):
    return os.path.exists(rtag(opts))


def check_refresh(opts, refresh=None):
    """Whether the lists are to be refreshed: as is said, else when the file is there."""
    from salt.utils.data import is_true

    return bool(is_true(refresh)) if refresh is not None else is_refresh(opts)


def split_comparison(version):
    """A comparison and a version: `>=1.2`."""
    match = re.match(r"^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)?$", version)
    return (match.group(1) or "", match.group(2) or "") if match else ("", version)


def match_version(desired, available, cmp_func=None, ignore_epoch=False):
    """The first of several versions that a text with a comparison means."""
    import salt.utils.versions

    oper, version = split_comparison(desired)
    oper = oper or "=="
    for candidate in available:
        if salt.utils.versions.compare(candidate, "==" if oper == "=" else oper, version, cmp_func, ignore_epoch):
            return candidate
    return None


