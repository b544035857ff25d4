"""Data as msgpack."""

from salt.utils import msgpack as _msgpack


def dumps(msg, use_bin_type=False):
    return _msgpack.packb(msg)


def loads(msg, encoding=None, raw=False):
    return _msgpack.unpackb(msg)


def dump(msg, fn_):
    fn_.write(dumps(msg))


def load(fn_):
    return loads(fn_.read())


format_payload = lambda enc, **kwargs: dumps({"enc": enc, "load": kwargs})


class Serial:
    """The same by methods, as they were called before."""

    def __init__(self, opts=None):
        pass

    dumps = staticmethod(dumps)
    loads = staticmethod(loads)
    dump = staticmethod(dump)
    load = staticmethod(load)
