"""Values that are kept for a while."""

import time


class CacheDict(dict):
    """A mapping whose values are gone after `ttl` seconds."""

    def __init__(self, ttl, *args, **kwargs):
        super().__init__()
        self._ttl = ttl
        self._when = {}

    def _drop(self, key):
        if time.time() - self._when.get(key, time.time()) > self._ttl:
            self._when.pop(key, None)
            super().pop(key, None)

    def __getitem__(self, key):
        self._drop(key)
        return super().__getitem__(key)

    def __contains__(self, key):
        self._drop(key)
        return super().__contains__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __setitem__(self, key, value):
        self._when[key] = time.time()
        super().__setitem__(key, value)


class CacheRegex:
    """Compiled regular expressions."""

    def __init__(self, prepend="", append="", size=1000, keep_fraction=0.8, max_age=3600):
        self._prepend, self._append = prepend, append

    def get(self, pattern):
        import re

        return re.compile("{}{}{}".format(self._prepend, pattern, self._append))


CacheFactory = type("CacheFactory", (), {"factory": classmethod(lambda cls, backend, ttl, *args, **kwargs: CacheDict(ttl))})
