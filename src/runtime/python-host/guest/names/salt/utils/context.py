"""What holds for a while, and what is kept for a function."""

import contextlib
import copy
from collections.abc import MutableMapping


@contextlib.contextmanager
def func_globals_inject(func, **overrides):
    """Within, a function's module has these globals."""
    function = getattr(func, "__func__", func)
    names = function.__globals__
    before = {key: names[key] for key in overrides if key in names}
    names.update(overrides)
    try:
        yield
    finally:
        for key in overrides:
            names.pop(key, None)
        names.update(before)


class NamespacedDictWrapper(MutableMapping, dict):
    """A mapping within another: what `pre_keys` lead to."""

    def __init__(self, d, pre_keys, override_name=None):
        self._outer = d
        self.pre_keys = (pre_keys,) if isinstance(pre_keys, str) else pre_keys

    def _dict(self):
        inner = self._outer
        for key in self.pre_keys:
            inner = inner[key]
        return inner

    def __getitem__(self, key):
        return self._dict()[key]

    def __setitem__(self, key, value):
        self._dict()[key] = value

    def __delitem__(self, key):
        del self._dict()[key]

    def __iter__(self):
        return iter(self._dict())

    def __len__(self):
        return len(self._dict())

    def __contains__(self, key):
        return key in self._dict()

    def __repr__(self):
        return repr(self._dict())

    def __deepcopy__(self, memo):
        return copy.deepcopy(dict(self._dict()), memo)
