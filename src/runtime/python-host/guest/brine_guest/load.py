"""Loading a site's file as Salt's loader does, and telling what is in it."""

import builtins
import functools
import importlib
import importlib.util
import inspect
import locale
import logging
import os
import sys
import traceback
import types

import brine_own
from brine_guest import parts
from brine_guest.pack import PackError, pack

# as Salt names them, in tracebacks, loggers and levels of loggers
PREFIX = ("salt", "loaded", "ext")
NAMES = {"modules": "module", "runners": "runner", "returners": "returner", "renderers": "render", "queues": "queue"}
OF_SITE = ".".join(PREFIX) + "."
LEVELS = {"trace": 5, "garbage": 1, "profile": 15}
QUIET = 1000


class Module:
    """A file that was loaded."""

    def __init__(self, kind, name, path, code):
        self.kind = kind
        self.file = name
        self.path = path
        self.code = code
        self.name = getattr(code, "__virtualname__", None) or name
        self.unavailable = None
        self.surroundings = None

    def functions(self):
        """What the file publishes, by name: functions without an underscore, under their aliases."""
        aliases = getattr(self.code, "__func_alias__", {})
        found = {}
        chosen = getattr(self.code, "__load__", None) or getattr(self.code, "__all__", None) or dir(self.code)
        for attribute in chosen:
            value = getattr(self.code, attribute, None)
            if not attribute.startswith("_") and inspect.isfunction(value) and self._is_of_site(value):
                found[aliases.get(attribute, attribute)] = value
        return self._enforced(found)

    def _enforced(self, found):
        """The functions whose needs are met, as far as decorators tell of needs."""
        decorators = sys.modules.get("salt.utils.decorators")
        if decorators is None:
            return found
        *_, kind, name = self.code.__name__.split(".")
        full = {"{}.{}".format(name, one): function for one, function in found.items()}
        decorators.depends.enforce_dependencies(full, kind, name)
        return {one.partition(".")[2]: function for one, function in full.items()}

    def _is_of_site(self, function):
        """What a file has imported is none of its functions, but for utilities (salt/loader/lazy.py, 3006.16)."""
        defined = function.__module__ or ""
        return self.kind == "utils" or defined.startswith(OF_SITE) or defined == self.code.__name__

    def function(self, name):
        found = self._found.get(name)
        return getattr(self.code, name) if found is None else found

    @functools.cached_property
    def _found(self):
        return self.functions()


class SaltLoggingClass(logging.Logger):
    """What modules' loggers are, as with Salt."""


def teach_logging():
    """Salt's further levels of logging, on every logger."""
    logging.setLoggerClass(SaltLoggingClass)
    logging.addLevelName(QUIET, "QUIET")
    logging.QUIET = QUIET
    for name, level in LEVELS.items():
        if not hasattr(logging.Logger, name):
            logging.addLevelName(level, name.upper())
            setattr(
                logging.Logger,
                name,
                lambda self, message, *args, _level=level, **kwargs: self.log(_level, message, *args, **kwargs),
            )
            setattr(logging, name.upper(), level)
    if not hasattr(logging.Logger, "_log_plainly"):
        logging.Logger._log_plainly = logging.Logger._log
        logging.Logger._log = _log


def name_encoding():
    """The encoding of this system as Salt names it, to every file."""
    builtins.__salt_system_encoding__ = locale.getpreferredencoding(False).lower()


# the arguments of lines that are to be told once; so many are remembered
_TOLD = set()
TOLD_MAX = 1000


def _log(self, level, message, args, exc_info=None, exc_info_on_loglevel=None, stacklevel=1, once=False, **kwargs):
    """As Python's own, with a traceback where the logger says as much as the level that is named (salt/_logging/impl.py, 3006.16)."""
    if once:
        if str(args) in _TOLD:
            return
        if len(_TOLD) >= TOLD_MAX:
            _TOLD.clear()
        _TOLD.add(str(args))
    if exc_info_on_loglevel is not None and self.isEnabledFor(exc_info_on_loglevel):
        exc_info = True
    self._log_plainly(level, message, args, exc_info=exc_info, stacklevel=stacklevel + 1, **kwargs)


class Beside:
    """Lets files import those in their own folder and in `_utils` by name while they are loaded (salt/loader/lazy.py `_load_module`, 3006.16)."""

    # what was imported so, and the file's version then: a file that has changed is imported anew
    _imported = {}

    def __init__(self, path, folders):
        self._folders = [os.path.dirname(path), *folders]

    def __enter__(self):
        for name, (file, known) in list(self._imported.items()):
            if not os.path.exists(file) or version(file) != known:
                sys.modules.pop(name, None)
                del self._imported[name]
        self._before = set(sys.modules)
        sys.path.extend(self._folders)

    def __exit__(self, *_):
        for folder in self._folders:
            if folder in sys.path:
                del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]
        for name in set(sys.modules) - self._before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and not name.startswith(OF_SITE) and os.path.dirname(file) in self._folders:
                self._imported[name] = (file, version(file))


def load(kind, name, path, dunders):
    """Loads a file. `dunders` sets what modules see before their code runs. Raises what the file raises."""
    full = "{}.{}".format(_parent(kind), name)
    spec = importlib.util.spec_from_file_location(full, path, loader=brine_own.loader_of(full, path), submodule_search_locations=_package(path))
    if spec is None:
        raise ImportError("it is no Python file")
    code = importlib.util.module_from_spec(spec)
    dunders(code)
    before = getattr(code, "__opts__", None)
    for known in [known for known in sys.modules if known.startswith(full + ".")]:
        del sys.modules[known]
    sys.modules[full] = code
    try:
        parts.prepare(path)
        spec.loader.exec_module(code)
    except BaseException:
        sys.modules.pop(full, None)
        raise
    # a file may bring defaults for options of its own
    given = getattr(code, "__opts__", None)
    code.__own_opts__ = dict(given) if isinstance(given, dict) and given is not before else {}
    return Module(kind, name, path, code)


def helper(name, dunders):
    """A module of `salt.utils` as one of `__utils__`. Raises KeyError when there is none."""
    full = "salt.utils." + name
    try:
        code = importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        raise KeyError(name) from None
    dunders(code)
    return Module("utils", name, getattr(code, "__file__", full), code)


def _parent(kind):
    """The package that files of a kind are in, so that packages among them can import what is theirs."""
    parts = [*PREFIX, NAMES.get(kind, kind)]
    for end in range(2, len(parts) + 1):
        name = ".".join(parts[:end])
        if name not in sys.modules:
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = []
    return ".".join(parts)


def version(path):
    """Changes with the file; of a package, with any file in it."""
    package = _package(path)
    paths = [path]
    if package is not None:
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(package[0]) for name in sorted(names) if name.endswith(".py")]
    return [(one, stat.st_mtime_ns, stat.st_size, stat.st_ino) for one, stat in ((one, os.stat(one)) for one in paths)]


def _package(path):
    return [os.path.dirname(path)] if os.path.basename(path) == "__init__.py" else None


def check_virtual(module, opts):
    """Asks `__init__` and `__virtual__`; sets the module's name, or why it is not available."""
    begin = getattr(module.code, "__init__", None)
    if inspect.isfunction(begin):
        begin(opts)
    ask = getattr(module.code, "__virtual__", None)
    if not inspect.isfunction(ask):
        return
    answer = ask()
    reason = None
    if isinstance(answer, tuple):
        answer, reason = answer[0], (answer[1] if len(answer) > 1 else None)
    if isinstance(answer, str) and answer:
        module.name = answer
    elif not answer:
        module.unavailable = str(reason) if reason is not None else ""


def describe(function):
    """A function as [documentation, [[name, how, default, only by name]…], varargs, kwargs, the name in Python's errors]."""
    doc = getattr(function, "__doc__", None) or ""
    name = getattr(function, "__qualname__", None)
    params = []
    varargs = kwargs = None
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return [doc, [], "args", "kwargs", name]
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            varargs = parameter.name
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs = parameter.name
        else:
            params.append(_describe_parameter(parameter))
    return [doc, params, varargs, kwargs, name]


def fitting(function, args, kwargs):
    """Arguments as Python takes them: those of parameters that go by position only are not given by name."""
    if kwargs and _is_positional_wrapper(function):
        return _by_position(function, args, kwargs)
    if not kwargs or not isinstance(function, types.FunctionType) or not function.__code__.co_posonlyargcount:
        return args, kwargs
    names = function.__code__.co_varnames[len(args) : function.__code__.co_posonlyargcount]
    given = [name for name in names if name in kwargs]
    return list(args) + [kwargs[name] for name in given], {key: value for key, value in kwargs.items() if key not in given}


def _is_positional_wrapper(function):
    """A decorator's function that hands on what stands in `*args`, and shows the signature of what it wraps."""
    if not isinstance(function, types.FunctionType) or not hasattr(function, "__wrapped__"):
        return False
    flags = function.__code__.co_flags
    return bool(flags & inspect.CO_VARARGS) and not flags & inspect.CO_VARKEYWORDS and not function.__code__.co_argcount


def _by_position(function, args, kwargs):
    names = [name for name, one in inspect.signature(function).parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    args, kwargs = list(args), dict(kwargs)
    for name in names[len(args) :]:
        if name not in kwargs:
            break
        args.append(kwargs.pop(name))
    return args, kwargs


def _describe_parameter(parameter):
    by_name_only = parameter.kind is parameter.KEYWORD_ONLY
    if parameter.default is parameter.empty:
        return [parameter.name, "required", None, by_name_only]
    try:
        pack(parameter.default)
    except PackError:
        return [parameter.name, "opaque", repr(parameter.default), by_name_only]
    return [parameter.name, "default", parameter.default, by_name_only]


def fault(error, path):
    """What is wrong with a file, in one sentence with its line."""
    if isinstance(error, SyntaxError):
        return "{}: {} (line {})".format(type(error).__name__, error.msg, error.lineno)
    line = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == path:
            line = frame.lineno
    where = "" if line is None else " (line {})".format(line)
    text = str(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        text += "; install it for {}, or name another interpreter with python_executable".format(sys.executable)
    return "{}: {}{}".format(type(error).__name__, text, where)
