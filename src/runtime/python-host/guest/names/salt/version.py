"""The version of Salt whose behaviour is followed."""

import functools
import re
import sys


@functools.total_ordering
class SaltStackVersion:
    """A version, to be compared with others and with texts."""

    def __init__(self, major, minor=None, bugfix=None, *_, **__):
        self.major, self.minor, self.bugfix = int(major), minor, bugfix

    @classmethod
    def parse(cls, text):
        numbers = [int(part) for part in re.findall(r"\d+", str(text))[:3]]
        if not numbers:
            raise ValueError("Unable to parse version string: '{}'".format(text))
        return cls(*numbers)

    @classmethod
    def from_name(cls, name):
        return cls(*CODE_NAMES[name.lower()])

    @property
    def info(self):
        return tuple(part for part in (self.major, self.minor, self.bugfix) if part is not None)

    full_info = noc_info = info

    @property
    def string(self):
        return ".".join(str(part) for part in self.info)

    formatted_version = string

    def __str__(self):
        return self.string

    def __repr__(self):
        return "<SaltStackVersion version='{}'>".format(self.string)

    def __hash__(self):
        return hash(self.info)

    def __eq__(self, other):
        return self._padded() == _version(other)._padded()

    def __lt__(self, other):
        return self._padded() < _version(other)._padded()

    def _padded(self):
        return self.info + (0,) * (3 - len(self.info))


CODE_NAMES = {
    "carbon": (2016, 11),
    "nitrogen": (2017, 7),
    "oxygen": (2018, 3),
    "fluorine": (2019, 2),
    "neon": (3000,),
    "sodium": (3001,),
    "magnesium": (3002,),
    "aluminium": (3003,),
    "silicon": (3004,),
    "phosphorus": (3005,),
    "sulfur": (3006,),
    "chlorine": (3007,),
}

__version__ = "3006.16"
__version_info__ = (3006, 16)
__saltstack_version__ = SaltStackVersion(*__version_info__)


def _version(value):
    if isinstance(value, SaltStackVersion):
        return value
    if isinstance(value, (tuple, list)):
        return SaltStackVersion(*value)
    return SaltStackVersion.parse(value)


def versions_information(*_, **__):
    return {"Salt Version": {"Salt": __version__}, "Dependency Versions": {"Python": sys.version.split()[0]}}


def versions_report(*_, **__):
    for group, versions in versions_information().items():
        yield group + ":"
        for name, version in versions.items():
            yield "{:>18}: {}".format(name, version)
