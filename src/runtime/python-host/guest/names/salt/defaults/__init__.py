"""Values that hold when nobody says another."""

import collections

DEFAULT_TARGET_DELIM = ":"


class _Constant(collections.namedtuple("_Constant", "name value", defaults=(None,))):
    """A value that is like no other."""

    __slots__ = ()

    def __repr__(self):
        return "<Constant.{}{}>".format(self.name, " value={}".format(self.value) if self.value else "")


NOT_SET = _Constant("NOT_SET")
