"""Mappings joined with mappings."""

import copy
from collections.abc import Mapping


def update(dest, upd, recursive_update=True, merge_lists=False):
    """Works `upd` into `dest`, mappings into mappings; lists are joined without doubles when `merge_lists` is set."""
    if not (isinstance(dest, Mapping) and isinstance(upd, Mapping)):
        raise TypeError("Cannot update using non-dict types in dictupdate.update()")
    for key in list(upd):
        old, new = dest.get(key), upd[key]
        if recursive_update and isinstance(old, Mapping) and isinstance(new, Mapping):
            dest[key] = update(old, new, merge_lists=merge_lists)
        elif recursive_update and merge_lists and isinstance(old, list) and isinstance(new, list):
            joined = copy.deepcopy(old)
            for item in new:
                if item not in old:
                    joined.append(item)
            dest[key] = joined
        else:
            dest[key] = new
    return dest


def merge_recurse(obj_a, obj_b, merge_lists=False):
    """A new mapping of both."""
    return update(copy.deepcopy(obj_a), obj_b, merge_lists=merge_lists)


def merge_overwrite(obj_a, obj_b, merge_lists=False):
    """Values of the second take the place of those of the first, which is changed, too."""
    for key in obj_b:
        if key in obj_a:
            obj_a[key] = obj_b[key]
    return merge_recurse(obj_a, obj_b, merge_lists=merge_lists)


def merge_list(obj_a, obj_b):
    """The first, with pairs of values for the keys that both have."""
    return {key: [value, obj_b[key]] if key in obj_b else value for key, value in obj_a.items()}


def merge(obj_a, obj_b, strategy="smart", renderer="yaml", merge_lists=False):
    """Joins by a strategy: `recurse` (and `smart`, `none`), `list`, `overwrite`."""
    if strategy == "list":
        return merge_list(obj_a, obj_b)
    if strategy == "overwrite":
        return merge_overwrite(obj_a, obj_b, merge_lists)
    if strategy == "aggregate":
        raise NotImplementedError("merging by aggregation needs an installed Salt")
    return merge_recurse(obj_a, obj_b, merge_lists and strategy != "none")
