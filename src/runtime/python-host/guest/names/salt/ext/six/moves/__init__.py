"""Names that moved with Python 3, at their places of today."""

import builtins
import collections
import configparser  # noqa: F401
import copyreg  # noqa: F401
import functools
import html.parser as html_parser  # noqa: F401
import http.client as http_client  # noqa: F401
import http.cookiejar as http_cookiejar  # noqa: F401
import importlib
import io
import itertools
import pickle as cPickle  # noqa: F401
import queue  # noqa: F401
import reprlib  # noqa: F401
import shlex
import socketserver  # noqa: F401
import _thread  # noqa: F401

range = xrange = builtins.range
map, zip, filter, input = builtins.map, builtins.zip, builtins.filter, builtins.input
reduce = functools.reduce
reload_module = importlib.reload
intern = __import__("sys").intern
StringIO = cStringIO = io.StringIO
UserDict, UserList, UserString = collections.UserDict, collections.UserList, collections.UserString
zip_longest, filterfalse = itertools.zip_longest, itertools.filterfalse
shlex_quote = shlex.quote
getcwd = __import__("os").getcwd


def __getattr__(name):
    if name not in ("urllib", "urllib_parse"):
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    return importlib.import_module(__name__ + "." + name)
