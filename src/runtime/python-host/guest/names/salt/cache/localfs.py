"""The driver that keeps files."""

from salt.cache import Cache


def get_storage_id(kwargs):
    return ("localfs", kwargs.get("cachedir"))


def store(bank, key, data, cachedir):
    Cache({}, cachedir).store(bank, key, data)


def fetch(bank, key, cachedir):
    return Cache({}, cachedir).fetch(bank, key)
