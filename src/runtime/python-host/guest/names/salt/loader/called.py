"""Functions that one of our programs runs when they are called."""

from salt._programs import answer_of, words_of
from salt._seen import asker


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
        return self[name] if name in self else default

    def __contains__(self, name):
        return True

    def _words(self, name):
        where = ["--local"] if self._program == "salt-call" and self._opts.get("file_client") == "local" else []
        return where + ["--out=json", name]


class OfMinion(Called):
    """`salt-call`, which is asked for the names of its functions when one is looked up."""

    def __init__(self, opts):
        super().__init__("salt-call", opts)
        self._names = None

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        return name in self.keys()

    def __iter__(self):
        return iter(self.keys())

    def keys(self):
        if self._names is None:
            self._names = list(super().__getitem__("sys.list_functions")() or ())
        return self._names


def minion_functions(opts):
    """The execution functions: those of the module that asks; for others, also for runners, whose `__salt__` are runners, those of `salt-call`."""
    mine = asker("__salt__")
    return mine["__salt__"] if mine and "__jid_event__" not in mine else OfMinion(opts)
