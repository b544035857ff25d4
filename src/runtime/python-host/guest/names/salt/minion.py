"""A minion, as far as its functions go."""

from salt.client import Caller


class SMinion:
    """The functions of this minion."""

    def __init__(self, opts, context=None):
        self.opts = opts
        self._caller = Caller(mopts=opts)

    @property
    def functions(self):
        return self._caller.sminion.functions


MasterMinion = SMinion
