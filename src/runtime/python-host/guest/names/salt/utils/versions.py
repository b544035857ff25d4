"""Versions of packages."""

import re


def _parts(version):
    return [int(part) if part.isdigit() else part for part in re.findall(r"\d+|[a-zA-Z]+", str(version))]


class LooseVersion:
    """A version whose numbers count as numbers."""

    def __init__(self, vstring=None):
        self.vstring = str(vstring)
        self.version = _parts(vstring)

    def __repr__(self):
        return "LooseVersion ('{}')".format(self.vstring)

    def __str__(self):
        return self.vstring

    def _key(self, other):
        other = other.version if isinstance(other, LooseVersion) else _parts(other)
        return _compare(self.version, other)

    def __eq__(self, other):
        return self._key(other) == 0

    def __lt__(self, other):
        return self._key(other) < 0

    def __le__(self, other):
        return self._key(other) <= 0

    def __gt__(self, other):
        return self._key(other) > 0

    def __ge__(self, other):
        return self._key(other) >= 0

    __hash__ = None


Version = StrictVersion = LooseVersion


def _compare(one, other):
    for a, b in zip(one, other):
        if a == b:
            continue
        if type(a) is not type(b):
            a, b = str(a), str(b)
        return -1 if a < b else 1
    return (len(one) > len(other)) - (len(one) < len(other))


def version_cmp(pkg1, pkg2, ignore_epoch=False):
    """-1, 0 or 1."""

    def plain(version):
        return str(version).split(":", 1)[-1] if ignore_epoch else str(version)

    return _compare(_parts(plain(pkg1)), _parts(plain(pkg2)))


def compare(ver1="", oper="==", ver2="", cmp_func=None, ignore_epoch=False):
    """Whether `ver1 oper ver2` holds."""
    result = (cmp_func or version_cmp)(ver1, ver2, ignore_epoch=ignore_epoch)
    return {
        "<": result == -1,
        "<=": result in (-1, 0),
        "==": result == 0,
        "!=": result != 0,
        ">=": result in (0, 1),
        ">": result == 1,
    }.get(oper, False)


def warn_until(*_, **__):
    """Warnings for those who write Salt's own modules; nothing here."""


warn_until_date = kwargs_warn_until = warn_until
