"""msgpack as the program at the other end speaks it (its dialect `python`): text and bytes apart, datetimes as extension 78."""

import collections
import datetime
import struct

from brine_guest.kept import ITEMS_MAX, kept

EXT_DATETIME = 78
EXT_CONSTANT = 79
EXT_OBJECT = 80
EXT_TUPLE = 81
EXT_ORDERED = 82
EXT_INTEGER = 83
DATETIME = "%Y%m%dT%H:%M:%S.%f"
NESTING_MAX = 400
# larger values no minion could return
BYTES_MAX = 128 << 20


class PackError(ValueError):
    """A value that cannot travel."""


class TypePackError(PackError):
    """A value of a type that is no data."""


class Packed:
    """A value that is packed already, in the place of itself."""

    def __init__(self, data):
        self.data = data


class Ways:
    """How a value is packed: `keeps` what is no data, which is refused otherwise; `exactly`, with tuples and ordered mappings as such."""

    def __init__(self, keeps=False, exactly=False):
        self.keeps, self.exactly = keeps, exactly
        # whether something in it is kept
        self.has_kept = False


PLAINLY = Ways()


def pack(value, ways=PLAINLY):
    """The bytes of a value. Tuples and sets travel as lists, other mappings as maps.

    Raises PackError for what is no data, such as functions and objects.
    """
    out = bytearray()
    _pack(value, out, 0, ways)
    return bytes(out)


def _pack(value, out, depth, ways):
    if depth > NESTING_MAX:
        raise PackError("it contains itself, or is nested more than {} deep".format(NESTING_MAX))
    if value is None:
        out.append(0xC0)
    elif value is True:
        out.append(0xC3)
    elif value is False:
        out.append(0xC2)
    elif isinstance(value, str):
        _pack_text(value, out)
    elif isinstance(value, int):
        _pack_int(int(value), out, depth, ways)
    elif isinstance(value, float):
        out += struct.pack(">Bd", 0xCB, value)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        data = value if isinstance(value, bytes) else bytes(value)
        _head(len(data), ((0x100, ">BB", 0xC4), (0x10000, ">BH", 0xC5), (1 << 32, ">BI", 0xC6)), out)
        out += data
    elif isinstance(value, Packed):
        out += value.data
    elif ways.exactly and type(value) is tuple:
        _pack_ext(EXT_TUPLE, list(value), out, depth, ways)
    elif ways.exactly and type(value) is collections.OrderedDict:
        _pack_ext(EXT_ORDERED, [list(pair) for pair in value.items()], out, depth, ways)
    elif ways.keeps and isinstance(value, tuple) and hasattr(value, "_fields"):
        _pack_object(value, out, depth, ways, list(value) if ways.exactly else None)
    elif isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__") and not isinstance(value, type)):
        _pack_map([(key, value[key]) for key in value.keys()], out, depth, ways)
    elif ways.exactly and type(value) in (set, frozenset) and len(value) <= ITEMS_MAX:
        _pack_object(value, out, depth, ways, list(value))
    elif isinstance(value, (list, tuple, set, frozenset)) or _is_iterator(value):
        _pack_list(list(value), out, depth, ways)
    elif ways.keeps and type(value) is datetime.date:
        _pack_object(value, out, depth, ways)
    elif ways.exactly and isinstance(value, datetime.datetime):
        _pack_object(value, out, depth, ways, value)
    elif isinstance(value, (datetime.datetime, datetime.date)):
        # as in Salt, a day is its midnight
        _pack_datetime(value, out)
    elif ways.keeps:
        _pack_object(value, out, depth, ways)
    else:
        raise TypePackError("a value of the type {} cannot be returned".format(type(value).__name__))


def _pack_datetime(value, out):
    text = value.strftime(DATETIME).encode("ascii")
    out += struct.pack(">BBb", 0xC7, len(text), EXT_DATETIME) + text


def _pack_object(value, out, depth, ways, data=None):
    """`data`: what it is for whoever has no use for an object."""
    ways.has_kept = True
    facts = kept.facts(value)
    if data is not None:
        told = bytearray()
        _pack(data, told, depth + 1, Ways(True))
        facts["data"] = Packed(told)
    _pack_ext(EXT_OBJECT, facts, out, depth, ways)


def _pack_ext(kind, content, out, depth, ways):
    body = bytearray()
    _pack(content, body, depth + 1, ways)
    out += struct.pack(">BIb", 0xC9, len(body), kind) + body


def _is_iterator(value):
    return type(value).__name__ in ("generator", "map", "filter", "zip", "dict_keys", "dict_values", "dict_items", "range")


def _pack_text(value, out):
    if len(value) > BYTES_MAX:
        raise PackError("it is larger than {} MiB".format(BYTES_MAX >> 20))
    data = value.encode("utf-8", "replace")
    if len(data) < 32:
        out.append(0xA0 | len(data))
    else:
        _head(len(data), ((0x100, ">BB", 0xD9), (0x10000, ">BH", 0xDA), (1 << 32, ">BI", 0xDB)), out)
    out += data


def _head(length, forms, out):
    if len(out) + length > BYTES_MAX:
        raise PackError("it is larger than {} MiB".format(BYTES_MAX >> 20))
    for limit, form, code in forms:
        if length < limit:
            out += struct.pack(form, code, length)
            return
    raise AssertionError(length)


def _pack_int(value, out, depth, ways):
    if 0 <= value < 0x80:
        out.append(value)
    elif -32 <= value < 0:
        out += struct.pack(">b", value)
    elif -(1 << 63) <= value < 0:
        out += struct.pack(">Bq", 0xD3, value)
    elif 0 <= value < 1 << 64:
        out += struct.pack(">BQ", 0xCF, value)
    elif ways.exactly:
        _pack_ext(EXT_INTEGER, str(value), out, depth, ways)
    else:
        # what is beyond 64 bits travels as its digits, as in Salt
        _pack_text(str(value), out)


def _pack_list(items, out, depth, ways):
    if len(items) < 16:
        out.append(0x90 | len(items))
    else:
        _head(len(items), ((0x10000, ">BH", 0xDC), (1 << 32, ">BI", 0xDD)), out)
    for item in items:
        _pack(item, out, depth + 1, ways)


def _pack_map(pairs, out, depth, ways):
    if len(pairs) < 16:
        out.append(0x80 | len(pairs))
    else:
        _head(len(pairs), ((0x10000, ">BH", 0xDE), (1 << 32, ">BI", 0xDF)), out)
    for key, item in pairs:
        # as Salt shows them
        if isinstance(key, (tuple, frozenset)):
            key = str(key)
        _pack(key, out, depth + 1, ways)
        _pack(item, out, depth + 1, ways)


def unpack(data):
    """The value that bytes stand for."""
    value, _ = _unpack(data, 0)
    return value


def unpack_at(data, at):
    """The value at a place and where it ends, which is beyond the end of data that breaks off. Raises IndexError and struct.error."""
    return _unpack(data, at)


_FIXED = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {1: ">B", 2: ">H", 4: ">I"}
_TEXTS = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BYTES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_LISTS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_EXTS = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_FIXED_EXTS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}


def _unpack(data, at):
    code = data[at]
    at += 1
    if code < 0x80:
        return code, at
    if code < 0x90:
        return _unpack_map(data, at, code & 0x0F)
    if code < 0xA0:
        return _unpack_list(data, at, code & 0x0F)
    if code < 0xC0:
        return _unpack_text(data, at, code & 0x1F)
    if code >= 0xE0:
        return code - 0x100, at
    if code in _CONSTANTS:
        return _CONSTANTS[code], at
    if code in _FIXED:
        form = _FIXED[code]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    for sizes, read in ((_TEXTS, _unpack_text), (_BYTES, _unpack_bytes), (_LISTS, _unpack_list), (_MAPS, _unpack_map), (_EXTS, _unpack_ext)):
        if code in sizes:
            size = sizes[code]
            length = struct.unpack_from(_LENGTHS[size], data, at)[0]
            return read(data, at + size, length)
    return _unpack_ext(data, at, _FIXED_EXTS[code])


def _unpack_text(data, at, length):
    return data[at : at + length].decode("utf-8", "replace"), at + length


def _unpack_bytes(data, at, length):
    return bytes(data[at : at + length]), at + length


def _unpack_list(data, at, length):
    out = []
    for _ in range(length):
        item, at = _unpack(data, at)
        out.append(item)
    return out, at


def _unpack_map(data, at, length):
    out = {}
    for _ in range(length):
        key, at = _unpack(data, at)
        value, at = _unpack(data, at)
        out[tuple(key) if isinstance(key, list) else key] = value
    return out, at


def _unpack_ext(data, at, length):
    kind = data[at]
    body = bytes(data[at + 1 : at + 1 + length])
    at += 1 + length
    if kind == EXT_DATETIME:
        return datetime.datetime.strptime(body.decode("ascii"), DATETIME), at
    if kind == EXT_OBJECT:
        return kept.found(*unpack(body)), at
    if kind == EXT_TUPLE:
        return tuple(unpack(body)), at
    if kind == EXT_INTEGER:
        return int(unpack(body)), at
    if kind == EXT_CONSTANT:
        return body.decode("latin-1"), at
    return body, at
