"""What the site's module that calls sees: a helper of Salt's that needs `__salt__` or `__opts__` takes those of its caller."""

import sys

NOTHING = object()


def seen(name, fallback=NOTHING):
    """The nearest caller's global of this name. Raises RuntimeError when nobody has it and there is no fallback."""
    value = asker(name).get(name, fallback)
    if value is NOTHING:
        raise RuntimeError("{} is there only while a function of a module runs".format(name))
    return value


def asker(name):
    """All globals of the nearest caller that has one of this name; none where nobody has."""
    frame = sys._getframe(1)
    while frame is not None:
        if name in frame.f_globals:
            return frame.f_globals
        frame = frame.f_back
    return {}
