"""What differs between mappings."""

import copy
from collections.abc import Mapping


class DictDiffer:
    """The keys that came, went, changed and stayed from the second mapping to the first."""

    def __init__(self, current_dict, past_dict):
        self.current_dict, self.past_dict = current_dict, past_dict
        self.set_current, self.set_past = set(current_dict), set(past_dict)
        self.intersect = self.set_current & self.set_past

    def added(self):
        return self.set_current - self.intersect

    def removed(self):
        return self.set_past - self.intersect

    def changed(self):
        return {key for key in self.intersect if self.past_dict[key] != self.current_dict[key]}

    def unchanged(self):
        return {key for key in self.intersect if self.past_dict[key] == self.current_dict[key]}


def diff(current_dict, past_dict):
    return DictDiffer(current_dict, past_dict)


def deep_diff(old, new, ignore=None):
    """What is `old` and what `new`, at every depth; keys of `ignore` are left out."""
    ignored = ignore or []
    before, after = _differences(copy.deepcopy(old), copy.deepcopy(new), ignored)
    out = {}
    if before not in ({}, None) or after not in ({}, None):
        if before:
            out["old"] = before
        if after:
            out["new"] = after
    return out


def _differences(old, new, ignored):
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return (None, None) if old == new else (old, new)
    before, after = {}, {}
    for key in list(old) + [key for key in new if key not in old]:
        if key in ignored:
            continue
        if key not in new:
            before[key] = old[key]
        elif key not in old:
            after[key] = new[key]
        elif isinstance(old[key], Mapping) and isinstance(new[key], Mapping):
            one, other = _differences(old[key], new[key], ignored)
            if one:
                before[key] = one
            if other:
                after[key] = other
        elif old[key] != new[key]:
            before[key], after[key] = old[key], new[key]
    return before, after


def recursive_diff(past_dict, current_dict, ignore_missing_keys=True):
    return RecursiveDictDiffer(past_dict, current_dict, ignore_missing_keys)


class RecursiveDictDiffer(DictDiffer):
    """The same at every depth, with keys as `a.b.c`."""

    NONE_VALUE = "<_null_>"

    def __init__(self, past_dict, current_dict, ignore_missing_keys):
        super().__init__(current_dict, past_dict)
        self.ignore_unset_values = True
        self._missing_count = not ignore_missing_keys
        self._diffs = self._compare(past_dict, current_dict)

    def _compare(self, past, current):
        found = {}
        for key in list(current) + [key for key in past if key not in current]:
            if key not in past:
                if self._missing_count:
                    found[key] = {"old": self.NONE_VALUE, "new": current[key]}
                continue
            if key not in current:
                if self._missing_count:
                    found[key] = {"new": self.NONE_VALUE, "old": past[key]}
                continue
            if isinstance(past[key], dict) and isinstance(current[key], dict):
                inner = self._compare(past[key], current[key])
                if inner:
                    found[key] = inner
            elif past[key] != current[key]:
                found[key] = {"old": past[key], "new": current[key]}
        return found

    @property
    def diffs(self):
        return self._diffs

    @property
    def new_values(self):
        return self._values("new")

    @property
    def old_values(self):
        return self._values("old")

    def added(self, separator="."):
        return sorted(key for key, one in self._leaves(separator) if one["old"] == self.NONE_VALUE)

    def removed(self, separator="."):
        return sorted(key for key, one in self._leaves(separator) if one["new"] == self.NONE_VALUE)

    def changed(self, separator="."):
        return sorted(key for key, one in self._leaves(separator) if self.NONE_VALUE not in (one["old"], one["new"]))

    @property
    def changes_str(self):
        return "\n".join("{} from {!r} to {!r}".format(key, one["old"], one["new"]) for key, one in self._leaves("."))

    def _leaves(self, separator, within=None, prefix=""):
        for key, one in (self._diffs if within is None else within).items():
            if set(one) == {"old", "new"}:
                yield prefix + str(key), one
            else:
                yield from self._leaves(separator, one, prefix + str(key) + separator)

    def _values(self, which, within=None):
        out = {}
        for key, one in (self._diffs if within is None else within).items():
            if set(one) == {"old", "new"}:
                if one[which] != self.NONE_VALUE:
                    out[key] = one[which]
            else:
                out[key] = self._values(which, one)
        return out
