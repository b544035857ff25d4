"""What the site's module that calls sees: a helper of Salt's that needs `__salt__` or `__opts__` takes those of its caller."""

import sys

NOTHING = object()


def seen(name, fallback=NOTHING):
    """The nearest caller's global of this name. Raises RuntimeError when nobody has it and there is no fallback."""
    frame = sys._getframe(1)
    while frame is not None:
        value = frame.f_globals.get(name, NOTHING)
        if value is not NOTHING:
            return value
        frame = frame.f_back
    if fallback is not NOTHING:
        return fallback
    raise RuntimeError("{} is there only while a function of a module runs".format(name))
