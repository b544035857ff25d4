"""Files of the file server, through `cp.*` of the module that asks."""

from salt._seen import seen


def get_file_client(opts, pillar=False):
    return Client(opts)


class Client:
    """Fetches files."""

    def __init__(self, opts):
        self.opts = opts

    def cache_file(self, path, saltenv="base", cachedir=None, source_hash=None, **_):
        return seen("__salt__")["cp.cache_file"](path, saltenv=saltenv)

    def get_file(self, path, dest="", makedirs=False, saltenv="base", gzip=None, cachedir=None):
        return seen("__salt__")["cp.get_file"](path, dest, saltenv=saltenv, makedirs=makedirs)

    def get_url(self, url, dest, makedirs=False, saltenv="base", no_cache=False, cachedir=None, source_hash=None, **_):
        return seen("__salt__")["cp.get_url"](url, dest, makedirs=makedirs, saltenv=saltenv)

    def hash_file(self, path, saltenv="base"):
        return seen("__salt__")["cp.hash_file"](path, saltenv=saltenv)

    def file_list(self, saltenv="base", prefix=""):
        return seen("__salt__")["cp.list_master"](saltenv=saltenv, prefix=prefix)

    def destroy(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


LocalClient = RemoteClient = FSClient = Client
