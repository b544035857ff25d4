"""msgpack, by the package where it is installed, else by what speaks with the program."""

try:
    import msgpack as _msgpack
except ImportError:
    _msgpack = None

exceptions = _msgpack.exceptions if _msgpack else ()
HAS_MSGPACK = True
version = (1, 0, 0)


def packb(data, **_):
    if _msgpack:
        return _msgpack.packb(data, use_bin_type=True)
    from brine_guest.pack import pack

    return pack(data)


def unpackb(data, **_):
    if _msgpack:
        return _msgpack.unpackb(data, raw=False, strict_map_key=False)
    from brine_guest.pack import unpack

    return unpack(data)


dumps, loads = packb, unpackb


def pack(data, stream, **_):
    stream.write(packb(data))


def unpack(stream, **_):
    return unpackb(stream.read())


dump, load = pack, unpack
