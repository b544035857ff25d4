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


def _last(in_dict, keys, delimiter, ordered_dict):
    """The mapping in which the last of `a:b:c` is, made where it is missing, and that key."""
    from salt.exceptions import SaltInvocationError

    parts = keys.split(delimiter) if isinstance(keys, str) else list(keys)
    here = in_dict
    for part in parts[:-1]:
        if part not in here or here[part] is None:
            here[part] = {}
        here = here[part]
        if not isinstance(here, Mapping):
            raise SaltInvocationError("The dict_pointer does not point to a dict: {}".format(here))
    return here, parts[-1]


def ensure_dict_key(in_dict, keys, delimiter=":", ordered_dict=False):
    """The mapping with all of `a:b:c` there, mappings of their own where they are missing."""
    here = in_dict
    for part in keys.split(delimiter):
        if part not in here or not isinstance(here[part], Mapping):
            here[part] = {}
        here = here[part]
    return in_dict


def set_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    """The mapping with a value at `a:b:c`."""
    here, key = _last(in_dict, keys, delimiter, ordered_dict)
    here[key] = value
    return in_dict


def update_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    """The mapping with another worked into the one at `a:b:c`."""
    from salt.exceptions import SaltInvocationError

    here, key = _last(in_dict, keys, delimiter, ordered_dict)
    if here.get(key) is None:
        here[key] = {}
    try:
        here[key].update(value)
    except AttributeError:
        raise SaltInvocationError("The last key contains a {}, which cannot update.".format(type(here[key]))) from None
    except (ValueError, TypeError):
        raise SaltInvocationError("Cannot update {} with a {}.".format(type(here[key]), type(value))) from None
    return in_dict


def append_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    """The mapping with a value at the end of the list at `a:b:c`."""
    return _grow(in_dict, keys, value, delimiter, "append")


def extend_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    """The mapping with values at the end of the list at `a:b:c`."""
    return _grow(in_dict, keys, value, delimiter, "extend")


def _grow(in_dict, keys, value, delimiter, how):
    from salt.exceptions import SaltInvocationError

    here, key = _last(in_dict, keys, delimiter, False)
    if here.get(key) is None:
        here[key] = []
    try:
        getattr(here[key], how)(value)
    except AttributeError:
        raise SaltInvocationError("The last key contains a {}, which cannot {}.".format(type(here[key]), how)) from None
    except TypeError:
        raise SaltInvocationError("Cannot {} {} with a {}.".format(how, type(here[key]), type(value))) from None
    return in_dict
