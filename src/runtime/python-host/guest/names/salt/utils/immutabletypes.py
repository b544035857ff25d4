"""Data that cannot be changed."""

import copy
from collections.abc import Mapping, Sequence, Set


class ImmutableDict(Mapping):
    """A mapping whose values cannot be changed either."""

    def __init__(self, obj):
        self._obj = obj

    def __len__(self):
        return len(self._obj)

    def __iter__(self):
        return iter(self._obj)

    def __getitem__(self, key):
        return freeze(self._obj[key])

    def __repr__(self):
        return "<{} {}>".format(type(self).__name__, repr(self._obj))

    def __deepcopy__(self, memo):
        return copy.deepcopy(self._obj, memo)

    def copy(self):
        """The data as it can be changed."""
        return copy.deepcopy(self._obj)


class ImmutableList(Sequence):
    """A list whose items cannot be changed either."""

    def __init__(self, obj):
        self._obj = obj

    __len__, __repr__, copy = ImmutableDict.__len__, ImmutableDict.__repr__, ImmutableDict.copy
    __deepcopy__, __getitem__ = ImmutableDict.__deepcopy__, ImmutableDict.__getitem__

    def __iter__(self):
        return (freeze(item) for item in self._obj)

    def __add__(self, other):
        return self._obj + other

    def __radd__(self, other):
        return other + self._obj


class ImmutableSet(Set):
    """A set that cannot be changed."""

    def __init__(self, obj):
        self._obj = obj

    __len__, __iter__, __repr__, copy = ImmutableDict.__len__, ImmutableDict.__iter__, ImmutableDict.__repr__, ImmutableDict.copy
    __deepcopy__ = ImmutableDict.__deepcopy__

    def __contains__(self, key):
        return key in self._obj


def freeze(obj):
    """Mappings, lists and sets, at every depth, as what cannot be changed."""
    if isinstance(obj, dict):
        return ImmutableDict(obj)
    if isinstance(obj, list):
        return ImmutableList(obj)
    return ImmutableSet(obj) if isinstance(obj, set) else obj
