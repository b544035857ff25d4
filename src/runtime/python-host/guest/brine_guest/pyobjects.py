"""States as objects of Python: what SLS in `#!pyobjects` are written in (salt/utils/pyobjects.py, 3006.16)."""

import inspect
import logging
import threading

from brine_guest.requisites import NAMING_OTHERS

log = logging.getLogger(__name__)


class StateException(Exception):
    """What a file declares cannot be a state."""


class DuplicateState(StateException):
    """The same function of the same id, twice."""


class InvalidFunction(StateException):
    """A state module has no such function."""


class Sheet:
    """What one file declares. A file that is imported brings names and declares nothing."""

    def __init__(self, salt):
        self.salt = salt
        self.is_open = True
        self._states = {}
        self._extends = {}
        self._includes = []
        # of the `with` blocks that the file is in
        self._around = []

    def data(self):
        """High data."""
        data = dict(self._states)
        if self._includes:
            data["include"] = self._includes
        if self._extends:
            data["extend"] = self._extends
        return data

    def include(self, *names):
        if self.is_open:
            self._includes += names

    def add(self, state):
        if not self.is_open:
            return
        place = (self._extends if state.is_extending else self._states).setdefault(state.id_, {})
        if state.full_func in place:
            raise DuplicateState("A state with id '{}', type '{}' exists".format(state.id_, state.full_func))
        for requisite in self._around:
            state.require(requisite)
        place.update(state())

    def enter(self, requisite):
        if self.is_open:
            self._around.append(requisite)

    def leave(self):
        if self.is_open:
            self._around.pop()


class _Sheets(threading.local):
    """The files that this thread is in: one may render another."""

    def __init__(self):
        self.open = []


_sheets = _Sheets()


class on:
    """What is declared meanwhile goes to a sheet."""

    def __init__(self, sheet):
        self._sheet = sheet

    def __enter__(self):
        _sheets.open.append(self._sheet)
        return self._sheet

    def __exit__(self, *_):
        _sheets.open.pop()


def sheet():
    """The one of the file that is being rendered."""
    if not _sheets.open:
        raise StateException("states can be declared while a file of the renderer pyobjects is being rendered, and not here")
    return _sheets.open[-1]


class StateExtend:
    """An id that another file has declared."""

    def __init__(self, name):
        self.name = name


class StateRequisite:
    """A state that others name; in a `with` block, all those in it do."""

    def __init__(self, requisite, module, id_):
        self.requisite = requisite
        self.module = module
        self.id_ = id_

    def __call__(self):
        return {self.module: self.id_}

    def __enter__(self):
        sheet().enter(self)
        return self

    def __exit__(self, *_):
        sheet().leave()


class StateFactory:
    """A state module: its attributes declare states, and a call of it names one."""

    def __init__(self, module, valid_funcs=None):
        self.module = module
        self.valid_funcs = valid_funcs

    def __getattr__(self, func):
        if func.startswith("__"):
            raise AttributeError(func)
        if self.valid_funcs and func not in self.valid_funcs:
            raise InvalidFunction("The function '{}' does not exist in the StateFactory for '{}'".format(func, self.module))

        def make_state(*args, **kwargs):
            if not args and "id_" in kwargs:
                args = (kwargs.pop("id_"),)
            if len(args) != 1:
                raise TypeError("{}.{} takes an id, and everything else by name".format(self.module, func))
            return State(args[0], self.module, func, kwargs)

        return make_state

    def __call__(self, id_, requisite="require"):
        return StateRequisite(requisite, self.module, id_)


class State:
    """One function of one id."""

    def __init__(self, id_, module, func, kwargs):
        self.is_extending = isinstance(id_, StateExtend)
        self.id_ = id_.name if self.is_extending else id_
        self.module = module
        self.func = func
        self.kwargs = {name: _named(value) if name in NAMING_OTHERS else value for name, value in kwargs.items()}
        self.requisite = StateRequisite("require", module, self.id_)
        sheet().add(self)

    def require(self, requisite):
        """Has this state name another one."""
        self.kwargs.setdefault(requisite.requisite, []).append(requisite())

    @property
    def attrs(self):
        return [{name: self.kwargs[name]} for name in sorted(self.kwargs)]

    @property
    def full_func(self):
        return "{}.{}".format(self.module, self.func)

    def __str__(self):
        return "{} = {}:{}".format(self.id_, self.full_func, self.attrs)

    def __call__(self):
        return {self.full_func: self.attrs}

    def __enter__(self):
        return self.requisite.__enter__()

    def __exit__(self, *_):
        self.requisite.__exit__()


def _named(value):
    """What a requisite is given, as a list of data: states, what names them, and data itself, one or several."""
    if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
        value = [value]
    return [_one_named(one) for one in value]


def _one_named(value):
    if isinstance(value, State):
        return value.requisite()
    return value() if isinstance(value, StateRequisite) else value


class Map:
    """Values by grain: each class in one of these is for machines whose grain has its name."""

    # of a file that is none of SLS, and wants a map all the same
    __salt__ = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        salt = _sheets.open[-1].salt if _sheets.open else cls.__salt__
        if salt is None:
            raise StateException("a Map asks for grains while a file of the renderer pyobjects is being rendered, and not here")
        for name, value in _mapped(cls, salt).items():
            setattr(cls, name, value)


def _mapped(cls, salt):
    cases = _in_order(cls, [_case(name, value) for name, value in vars(cls).items() if name[0] != "_" and inspect.isclass(value)])
    values = {}
    if cases:
        grains = salt["grains.item"](*{grain for grain, _, _ in cases})
        for grain, match, case in cases:
            if grain in grains and grains[grain] == match:
                values.update(case)
    merged = salt["pillar.get"](cls.merge) if hasattr(cls, "merge") else None
    values.update(merged or {})
    return values


def _case(name, case):
    """One class of a map as (grain, its value, what is then so)."""
    values = {key: value for key, value in vars(case).items() if key[0] != "_"}
    return getattr(case, "__grain__", "os_family"), getattr(case, "__match__", name), values


def _in_order(cls, cases):
    """The cases with those of the grains that `priority` lists before the others: what comes later counts."""
    priority = getattr(cls, "priority", ())
    if not hasattr(priority, "__iter__"):
        log.error("pyobjects: priority must be an iterable")
        return cases
    listed = [case for grain in priority for case in cases if case[0] == grain]
    return listed + [case for case in cases if case not in listed]
