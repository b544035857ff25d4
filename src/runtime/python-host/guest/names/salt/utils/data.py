"""Nested data."""

from collections.abc import Iterable, Mapping

DELIMITER = ":"


def traverse_dict(data, key, default=None, delimiter=DELIMITER):
    """What `a:b:c` leads to in nested mappings."""
    for part in key.split(delimiter):
        try:
            data = data[part]
        except (KeyError, TypeError, IndexError):
            return default
    return data


def traverse_dict_and_list(data, key, default=None, delimiter=DELIMITER):
    """What `a:0:c` leads to in nested mappings and lists; in a list without such an index, the first mapping that has the key."""
    parts = key.split(delimiter) if isinstance(key, str) else key
    for part in parts:
        if isinstance(data, list):
            found = _in_list(data, part)
        else:
            found = _in_mapping(data, part)
        if found is _NOTHING:
            return default
        data = found
    return data


_NOTHING = object()


def _in_list(items, part):
    try:
        return items[int(part)]
    except (ValueError, IndexError):
        pass
    for item in items:
        if isinstance(item, Mapping) and part in item:
            return item[part]
    return _NOTHING


def _in_mapping(data, part):
    try:
        return data[part]
    except KeyError:
        pass
    except TypeError:
        return _NOTHING
    # keys that look like numbers may be some
    try:
        return data[int(part)]
    except (KeyError, ValueError, TypeError):
        return _NOTHING


def compare_dicts(old=None, new=None):
    """The keys whose values differ, with both."""
    old, new = old or {}, new or {}
    return {
        key: {"new": new.get(key, ""), "old": old.get(key, "")}
        for key in set(old) | set(new)
        if key not in old or key not in new or old[key] != new[key]
    }


def compare_lists(old=None, new=None):
    """What only one of two lists has."""
    changed = {}
    added = [item for item in new or [] if item not in (old or [])]
    removed = [item for item in old or [] if item not in (new or [])]
    if added:
        changed["new"] = added
    if removed:
        changed["old"] = removed
    return changed


def is_list(value):
    return isinstance(value, list)


def is_iter(thing, ignore=(str,)):
    """Whether a value is a list, a tuple, a generator or the like."""
    return isinstance(thing, Iterable) and not isinstance(thing, ignore)


def is_dictlist(data):
    """Whether a value is a list of mappings with one key each."""
    return isinstance(data, list) and all(isinstance(item, dict) and len(item) == 1 for item in data)


def is_true(value=None):
    """Truth as options have it: of texts `true` alone, and numbers above zero."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value > 0
    if isinstance(value, str):
        try:
            return float(value) > 0
        except ValueError:
            return value.lower() == "true"
    return bool(value)


def repack_dictlist(data, strict=False, recurse=False, key_cb=None, val_cb=None):
    """A list of one-key mappings as one mapping; an empty one for what is no such list."""
    if not isinstance(data, list):
        return {}
    out = {}
    for item in data:
        if isinstance(item, (str, int, float)):
            out[key_cb(item) if key_cb else item] = None
        elif isinstance(item, dict) and len(item) == 1:
            ((key, value),) = item.items()
            if is_dictlist(value) and strict and not recurse:
                return {}
            if is_dictlist(value) and recurse:
                value = repack_dictlist(value, recurse=True, key_cb=key_cb, val_cb=val_cb)
            elif val_cb:
                value = val_cb(key, value)
            out[key_cb(key) if key_cb else key] = value
        else:
            return {}
    return out


def filter_falsey(data, recurse_depth=None, ignore_types=()):
    """Data without what is false; `recurse_depth` levels deep."""

    def keeps(value):
        return type(value) in ignore_types or bool(value)

    def inner(value):
        if recurse_depth and recurse_depth > 0:
            return filter_falsey(value, recurse_depth - 1, ignore_types)
        return value

    if isinstance(data, dict):
        pairs = ((key, inner(value)) for key, value in data.items())
        return type(data)((key, value) for key, value in pairs if keeps(value))
    if is_iter(data):
        return type(data)(value for value in map(inner, data) if keeps(value))
    return data


def exactly_n(iterable, amount=1):
    """Whether so many items are true."""
    return sum(1 for item in iterable if item) == amount


def exactly_one(iterable):
    return exactly_n(iterable)


def decode(data, *_, **__):
    """Data with bytes as texts, where they are some."""
    if isinstance(data, bytes):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data
    if isinstance(data, dict):
        return type(data)((decode(key), decode(value)) for key, value in data.items())
    if isinstance(data, list):
        return [decode(item) for item in data]
    return data


decode_dict = decode_list = decode
