"""Values of `sdb://` addresses."""

from salt._seen import seen


def sdb_get(uri, opts, utils=None, strict=False):
    if not isinstance(uri, str) or not uri.startswith("sdb://"):
        return uri
    return seen("__salt__")["sdb.get"](uri, strict=strict) if strict else seen("__salt__")["sdb.get"](uri)


def sdb_set(uri, value, opts, utils=None):
    return seen("__salt__")["sdb.set"](uri, value)


def sdb_delete(uri, opts, utils=None):
    return seen("__salt__")["sdb.delete"](uri)
