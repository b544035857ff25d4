"""Functions that one of our programs runs when they are called."""

from salt._programs import answer_of, words_of


class Called:
    """`salt-call` or `salt-run`: functions by item and by `.get`."""

    def __init__(self, program, opts):
        self._program = program
        self._opts = opts or {}

    def __getitem__(self, name):
        def call(*args, **kwargs):
            given = answer_of(self._program, self._opts, self._words(name) + words_of(args, kwargs))
            return given["local"] if self._program == "salt-call" and isinstance(given, dict) and "local" in given else given

        call.__name__ = name
        return call

    def get(self, name, default=None):
        return self[name]

    def __contains__(self, name):
        return True

    def _words(self, name):
        where = ["--local"] if self._program == "salt-call" and self._opts.get("file_client") == "local" else []
        return where + ["--out=json", name]
