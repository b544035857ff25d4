"""What templates print. Templates themselves are rendered by Brine: `salt.utils.templates`, `slsutil.renderer`."""

from collections import OrderedDict


class PrintableDict(OrderedDict):
    """A mapping that is printed as Python prints one: what Jinja shows of it reads as data."""

    def __repr__(self):
        return "{" + ", ".join("{!r}: {!r}".format(key, self[key]) for key in self) + "}"

    __str__ = __repr__
