"""Data kept in banks, in files as the driver `localfs` has them: `<cachedir>/<bank>/<key>.p`."""

import os
import shutil
import time

from salt import payload
from salt.exceptions import SaltCacheError


class Cache:
    """Stores and fetches data by bank and key."""

    def __init__(self, opts, cachedir=None, **kwargs):
        self.opts = opts
        self.driver = "localfs"
        self.cachedir = cachedir or opts.get("cachedir") or "/var/cache/salt/master"

    def store(self, bank, key, data, expires=None):
        folder = self._path(bank)
        os.makedirs(folder, exist_ok=True)
        path = self._path(bank, key)
        with open(path + ".new", "wb") as handle:
            handle.write(payload.dumps(data))
        os.replace(path + ".new", path)

    def fetch(self, bank, key):
        """The data, or an empty mapping."""
        try:
            with open(self._path(bank, key), "rb") as handle:
                return payload.loads(handle.read())
        except FileNotFoundError:
            return {}

    def cache(self, bank, key, fun, loop_fun=None, **kwargs):
        """What is stored unless it is too old, else what the function gives, which is stored."""
        expire = kwargs.pop("expire_seconds", 86400)
        updated = self.updated(bank, key)
        if updated is not None and updated > time.time() - expire:
            return self.fetch(bank, key)
        data = fun(**kwargs)
        if loop_fun is not None:
            data = [loop_fun(item) for item in data]
        self.store(bank, key, data)
        return data

    def updated(self, bank, key):
        """When it was stored, in seconds; None when it was not."""
        try:
            return int(os.path.getmtime(self._path(bank, key)))
        except FileNotFoundError:
            return None

    def flush(self, bank, key=None):
        path = self._path(bank, key)
        if key is None:
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.exists(path):
            os.remove(path)

    def list(self, bank):
        """The keys and banks of a bank."""
        try:
            names = os.listdir(self._path(bank))
        except FileNotFoundError:
            return []
        return [name[:-2] if name.endswith(".p") else name for name in names]

    ls = list

    def contains(self, bank, key=None):
        return os.path.exists(self._path(bank, key))

    def clean_expired(self, bank, *args, **kwargs):
        pass

    def _path(self, bank, key=None):
        root = os.path.abspath(self.cachedir)
        path = os.path.abspath(os.path.join(root, bank, *([] if key is None else [key + ".p"])))
        if not path.startswith(root + os.sep):
            raise SaltCacheError("{}/{} is no place below {}".format(bank, key, root))
        return path


class MemCache(Cache):
    """The same; what was fetched is not kept in memory."""


def factory(opts, **kwargs):
    return Cache(opts, **kwargs)
