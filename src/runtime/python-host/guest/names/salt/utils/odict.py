"""Ordered mappings; those of Python are."""

import copy
from collections import OrderedDict

__all__ = ["DefaultOrderedDict", "HashableOrderedDict", "OrderedDict"]


class DefaultOrderedDict(OrderedDict):
    """An ordered mapping that makes what is missing by a function."""

    def __init__(self, default_factory=None, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable")
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        made = self[key] = self.default_factory()
        return made

    def __reduce__(self):
        return type(self), (self.default_factory,), None, None, iter(self.items())

    def copy(self):
        return type(self)(self.default_factory, self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return type(self)(self.default_factory, copy.deepcopy(list(self.items()), memo))

    def __repr__(self):
        return "DefaultOrderedDict({}, {})".format(self.default_factory, super().__repr__())


class HashableOrderedDict(OrderedDict):
    """An ordered mapping that is a key by what it is, not by what it has."""

    def __hash__(self):
        return id(self)
