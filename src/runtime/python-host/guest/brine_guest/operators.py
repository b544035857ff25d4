"""Python's operators and functions, as templates use them on objects that are kept here."""

import operator

from brine_guest.kept import MISSING


def _in(container, item):
    return item in container


def _slice(value, *bounds):
    try:
        return value[slice(*bounds)]
    except (AttributeError, TypeError, LookupError):
        return MISSING


def _int(value, base):
    """Jinja's filter `int` (jinja2/filters.py `do_int`, 3.1); nothing where it gives its default."""
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return MISSING


def _float(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return MISSING


def _places(keys, reverse):
    """Where the items of a sorted list stood before."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": _in,
    "negative": operator.neg,
    "positive": operator.pos,
    "slice": _slice,
    "int": _int,
    "float": _float,
    "abs": abs,
    "round": round,
    "format": format,
    "sorted": _places,
}


def applied(name, *operands):
    """What an operator gives; MISSING where that is nothing."""
    return OPERATORS[name](*operands)
