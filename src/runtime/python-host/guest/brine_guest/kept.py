"""Objects that are no data and stay here, while the program has something that stands for them."""

import collections
import collections.abc
import itertools
import numbers
import os
import threading

# the oldest goes for each further one
OBJECTS_MAX = 50_000
ITEMS_MAX = 1_000
ATTRIBUTES_MAX = 50
TEXT_MAX = 10_000
PLAIN = (str, int, float, bool, type(None))
MISSING = object()
# what is in these does not change by a call of a method
UNCHANGING = ("datetime", "decimal", "enum", "fractions", "ipaddress", "pathlib", "re", "uuid")


class Kept:
    """What is kept, by number."""

    def __init__(self):
        self._objects = collections.OrderedDict()
        self._numbers = {}
        self._next = itertools.count(1)
        self._lock = threading.Lock()

    def clear(self):
        with self._lock:
            self._objects.clear()
            self._numbers.clear()

    def found(self, process, number):
        """The object that stands behind what the program has. Raises ValueError when it is gone."""
        found = self._objects.get(number, MISSING) if process == os.getpid() else MISSING
        if found is MISSING:
            raise ValueError("an object of a job's Python is gone with the process that had it, or was the first of more than {}".format(OBJECTS_MAX))
        return found

    def facts(self, value):
        """Keeps an object. Returns what the program is told of it."""
        kind = type(value)
        items, too_many = _items(value)
        return {
            "place": [os.getpid(), self._number(value)],
            "type": kind.__name__,
            "title": _title(kind),
            "str": _text(str, value, kind),
            "repr": _text(repr, value, kind),
            "is_true": _asked(bool, value, True),
            "is_callable": callable(value),
            "attributes": _attributes(value),
            "too_many": too_many,
            "items": items,
            "length": _asked(len, value, None),
            "is_number": isinstance(value, numbers.Number),
            "is_sequence": hasattr(kind, "__len__") and hasattr(kind, "__getitem__"),
            "changes": isinstance(value, set) or kind.__module__ not in (*UNCHANGING, "builtins"),
        }

    def _number(self, value):
        with self._lock:
            number = self._numbers.get(id(value))
            if number is None:
                number = self._numbers[id(value)] = next(self._next)
                self._objects[number] = value
                while len(self._objects) > OBJECTS_MAX:
                    _, gone = self._objects.popitem(last=False)
                    self._numbers.pop(id(gone), None)
            return number


kept = Kept()


def _title(kind):
    return kind.__name__ if kind.__module__ == "builtins" else "{}.{}".format(kind.__module__, kind.__name__)


def _asked(question, value, otherwise):
    try:
        return question(value)
    except Exception:
        return otherwise


def _text(how, value, kind):
    text = _asked(how, value, None)
    return text[:TEXT_MAX] if isinstance(text, str) else "<{} object>".format(_title(kind))


def _attributes(value):
    own = _asked(vars, value, None)
    if not isinstance(own, dict) or isinstance(value, type):
        return {}
    plain = ((name, one) for name, one in own.items() if isinstance(name, str) and not name.startswith("_") and type(one) in PLAIN)
    return dict(itertools.islice(plain, ATTRIBUTES_MAX))


def _items(value):
    """What is in it as (items, whether that is more than is told). What gives its items once is not asked for them."""
    if isinstance(value, type) or not hasattr(type(value), "__iter__"):
        return None, False
    try:
        walk = iter(value)
        if walk is value:
            return None, True
        items = list(itertools.islice(walk, ITEMS_MAX + 1))
    except Exception:
        return None, True
    return (None, True) if len(items) > ITEMS_MAX else (items, False)


def answer(value, question, args, kwargs):
    """What Jinja's `value.name`, `value[key]`, `item in value` and `value(...)` give; MISSING where there is none.

    `facts` asks for the object itself, of which is told again what it is like.
    """
    if question == "facts":
        return value
    if question == "call":
        return value(*args, **kwargs)
    if question == "contains":
        return args[0] in value
    name = args[0]
    looks = (_attribute, _item) if question == "attribute" else (_item, _attribute)
    for look in looks:
        found = look(value, name)
        if found is not MISSING:
            return found
    return MISSING


def _attribute(value, name):
    return getattr(value, name, MISSING) if isinstance(name, str) and not name.startswith("_") else MISSING


def _item(value, key):
    try:
        return value[key]
    except (AttributeError, TypeError, LookupError):
        return MISSING
