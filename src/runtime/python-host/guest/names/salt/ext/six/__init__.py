"""What modules from the days of Python 2 import of `six`: everything is that of Python 3."""

import builtins
import functools
import importlib
import io
import sys
import types

PY2, PY3, PY34 = False, True, True
string_types = (str,)
integer_types = (int,)
class_types = (type,)
text_type = str
binary_type = bytes
MAXSIZE = sys.maxsize
StringIO, BytesIO = io.StringIO, io.BytesIO
unichr = chr
int2byte = lambda number: bytes((number,))
next = advance_iterator = builtins.next
callable = builtins.callable
exec_ = builtins.exec
print_ = builtins.print
wraps = functools.wraps
get_function_code = lambda function: function.__code__
get_function_globals = lambda function: function.__globals__
get_method_function = lambda method: method.__func__
get_method_self = lambda method: method.__self__
create_bound_method = types.MethodType


def u(text):
    return text


def b(text):
    return text.encode("latin-1")


def iterkeys(mapping, **kwargs):
    return iter(mapping.keys(**kwargs))


def itervalues(mapping, **kwargs):
    return iter(mapping.values(**kwargs))


def iteritems(mapping, **kwargs):
    return iter(mapping.items(**kwargs))


def viewkeys(mapping):
    return mapping.keys()


def viewvalues(mapping):
    return mapping.values()


def viewitems(mapping):
    return mapping.items()


def reraise(kind, value=None, trace=None):
    """Raises an exception again, with its traceback."""
    if value is None:
        value = kind()
    raise value.with_traceback(trace)


def raise_from(value, cause):
    raise value from cause


def with_metaclass(meta, *bases):
    """A class to inherit from that gives its heirs this metaclass."""
    return meta("with_metaclass", bases, {})


def add_metaclass(meta):
    """A decorator that makes a class again with this metaclass."""

    def remake(cls):
        names = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__")}
        return meta(cls.__name__, cls.__bases__, names)

    return remake


def __getattr__(name):
    if name != "moves":
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    return importlib.import_module(__name__ + ".moves")


def python_2_unicode_compatible(cls):
    return cls


def ensure_str(text, encoding="utf-8", errors="strict"):
    return text.decode(encoding, errors) if isinstance(text, bytes) else text


ensure_text = ensure_str


def ensure_binary(text, encoding="utf-8", errors="strict"):
    return text.encode(encoding, errors) if isinstance(text, str) else text
