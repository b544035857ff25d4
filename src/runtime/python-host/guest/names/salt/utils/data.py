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
    parts = key.split(delimiter) if isinstance(key, str) else [key] if isinstance(key, int) else key
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
    # keys that look like numbers, or like True, may be such
    from salt.utils.args import yamlify_arg

    try:
        return data[yamlify_arg(part)]
    except Exception:
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


def encode(data, encoding=None, *_, **__):
    """Data with texts as bytes."""
    encoding = encoding or "utf-8"
    if isinstance(data, str):
        return data.encode(encoding)
    if isinstance(data, dict):
        return type(data)((encode(key, encoding), encode(value, encoding)) for key, value in data.items())
    if isinstance(data, (list, tuple)):
        return type(data)(encode(item, encoding) for item in data)
    return data


encode_dict = encode_list = encode


def decode_tuple(data, *_, **__):
    return tuple(decode(list(data)))


def filter_by(lookup_dict, lookup, traverse, merge=None, default="default", base=None):
    """The entry whose key what `lookup` leads to matches, merged with others."""
    import copy
    import fnmatch

    from salt.utils.dictupdate import update

    value = traverse_dict_and_list(traverse, lookup, None)
    values = value if isinstance(value, list) else [value]
    found = lookup_dict.get(default)
    for one in values:
        key = next((key for key in lookup_dict if fnmatch.fnmatchcase(str(one), str(key))), None)
        if key is not None:
            found = lookup_dict[key]
            break
    if base and base in lookup_dict:
        below = lookup_dict[base]
        found = update(copy.deepcopy(below), found) if isinstance(found, Mapping) else below if found is None else found
    if merge:
        found = update(copy.deepcopy(found), merge) if found is not None else merge
    return found


def subdict_match(data, expr, delimiter=DELIMITER, regex_match=False, exact_match=False):
    """Whether `a:b:glob` is in nested mappings."""
    import fnmatch
    import re

    def matches(value, pattern):
        value, pattern = str(value).lower(), pattern.lower()
        if regex_match:
            return re.match(pattern, value) is not None
        return value == pattern if exact_match else fnmatch.fnmatch(value, pattern)

    def within(found, pattern):
        if isinstance(found, (list, tuple)):
            return any(within(item, pattern) for item in found)
        if isinstance(found, Mapping):
            return pattern == "*" or any(matches(key, pattern) for key in found)
        return matches(found, pattern)

    parts = expr.split(delimiter)
    for at in range(1, len(parts)):
        found = traverse_dict_and_list(data, delimiter.join(parts[:at]), _NOTHING, delimiter)
        if found is not _NOTHING and within(found, delimiter.join(parts[at:])):
            return True
    return False


def substr_in_list(string_to_search_for, list_to_search):
    return any(string_to_search_for in item for item in list_to_search)


def mysql_to_dict(data, key):
    """A table as the client of MySQL prints it, by one of its columns."""
    from salt.utils.stringutils import to_num

    found, headers = {}, ["#"]
    for line in data:
        if not line or line.startswith("+"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(headers) == 1:
            headers = cells
            continue
        row = {name: to_num(cell) for name, cell in zip(headers, cells) if name}
        if key in row:
            found[row[key]] = row
    return found


def stringify(data):
    """The items of a list as texts."""
    return [item if isinstance(item, str) else str(item) for item in data]


def json_query(data, expr):
    """What an expression of JMESPath finds, by the package `jmespath`."""
    import jmespath

    return jmespath.search(expr, data)


def flatten(data, levels=None, preserve_nulls=False, _ids=None):
    """A list of lists as one list."""
    out = []
    for item in data:
        if not preserve_nulls and item in (None, "None", "null"):
            continue
        if is_iter(item) and (levels is None or levels >= 1):
            out += flatten(item, None if levels is None else levels - 1, preserve_nulls)
        else:
            out.append(item)
    return out


def hash(value, algorithm="sha512"):
    """The hash sum of a value's text."""
    import hashlib

    from salt.utils.stringutils import to_bytes

    return hashlib.new(algorithm, to_bytes(value if isinstance(value, (str, bytes)) else str(value))).hexdigest()


def get_value(obj, path, default=None):
    """Values of `a:b` in nested data, as `{"value": …}`."""
    found = traverse_dict_and_list(obj, path, _NOTHING)
    return [{"value": default if found is _NOTHING else found}]


class CaseInsensitiveDict(dict):
    """A mapping whose keys may be written in small and great letters."""

    def __init__(self, init=None, **kwargs):
        super().__init__()
        self._own = {}
        self.update(dict(init or {}, **kwargs))

    @staticmethod
    def _fold(key):
        return key.lower() if isinstance(key, str) else key

    def __setitem__(self, key, value):
        old = self._own.get(self._fold(key))
        if old is not None:
            super().__delitem__(old)
        self._own[self._fold(key)] = key
        super().__setitem__(key, value)

    def __getitem__(self, key):
        return super().__getitem__(self._own[self._fold(key)])

    def __delitem__(self, key):
        super().__delitem__(self._own.pop(self._fold(key)))

    def __contains__(self, key):
        return self._fold(key) in self._own

    def get(self, key, default=None):
        return self[key] if key in self else default

    def update(self, other=(), **kwargs):
        for key, value in dict(other, **kwargs).items():
            self[key] = value


def encode_tuple(data, encoding=None, errors="strict", keep=False, preserve_dict_class=False):
    return tuple(encode_list(list(data), encoding, errors, keep, preserve_dict_class, True))


def to_lowercase(data, preserve_dict_class=False):
    """Data with all texts, keys too, in small letters."""
    return _changed(data, str.lower, preserve_dict_class)


def to_uppercase(data, preserve_dict_class=False):
    return _changed(data, str.upper, preserve_dict_class)


def _changed(data, change, keeps_class):
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        pairs = [(_changed(key, change, keeps_class), _changed(value, change, keeps_class)) for key, value in data.items()]
        return type(data)(pairs) if keeps_class else dict(pairs)
    return type(data)(_changed(item, change, keeps_class) for item in data) if isinstance(data, (list, tuple, set)) else data


def sorted_ignorecase(to_sort):
    return sorted(to_sort, key=str.lower)


def sample(value, size, seed=None):
    """So many items by chance; the same ones for the same seed."""
    import random

    return (random if seed is None else random.Random(hash(seed))).sample(value, size)


def shuffle(value, seed=None):
    return sample(value, len(value), seed)


def simple_types_filter(data):
    """Data in which everything that is neither text, number, list nor mapping is its `repr`."""
    if isinstance(data, Mapping):
        return {key if key is None or isinstance(key, _SIMPLE) else repr(key): _simple(value) for key, value in data.items()}
    return [_simple(item) for item in data] if isinstance(data, (list, tuple)) else data


_SIMPLE = (str, int, float, bool)


def _simple(value):
    if isinstance(value, (Mapping, list, tuple)):
        return simple_types_filter(value)
    return value if value is None or isinstance(value, _SIMPLE) else repr(value)


def recursive_diff(old, new, ignore_keys=None, ignore_order=False, ignore_missing_keys=False):
    """What two values do not have in common, as `old` and `new`; an empty mapping where they are alike."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _parted(*_mappings_apart(old, new, (ignore_keys or [], ignore_order, ignore_missing_keys)))
    if isinstance(old, set) and isinstance(new, set):
        return _parted(old - new, new - old)
    if is_iter(old) and is_iter(new):
        apart = _unordered_apart if ignore_order else _lists_apart
        here, there = apart(list(old), list(new), (ignore_keys, ignore_order, ignore_missing_keys))
        return _parted(type(old)(here), type(new)(there))
    return {} if old == new else {"old": old, "new": new}


def _parted(old, new):
    return {"old": old, "new": new} if old or new else {}


def _mappings_apart(old, new, how):
    ignored, _, missing_ignored = how
    here, there = {}, {}
    for key in [*old, *(key for key in new if key not in old)]:
        if key in ignored or missing_ignored and (key not in old or key not in new):
            continue
        if key not in old:
            there[key] = new[key]
        elif key not in new:
            here[key] = old[key]
        else:
            found = recursive_diff(old[key], new[key], *how)
            if found:
                here[key], there[key] = found["old"], found["new"]
    return here, there


def _lists_apart(old, new, how):
    pairs = [recursive_diff(one, other, *how) for one, other in zip(old, new)]
    both = [found for found in pairs if found]
    return [found["old"] for found in both] + old[len(pairs) :], [found["new"] for found in both] + new[len(pairs) :]


def _unordered_apart(old, new, how):
    for one in list(old):
        same = next((other for other in new if not recursive_diff(one, other, *how)), _NOTHING)
        if same is not _NOTHING:
            old.remove(one)
            new.remove(same)
    return old, new
