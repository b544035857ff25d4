"""A language of chained calls for states: what SLS in `#!pydsl` are written in (salt/utils/pydsl.py, 3006.16)."""

import pprint
import uuid

from brine_guest.requisites import NAMING_OTHERS

# what Salt's language has no method for are words of single arguments, which it has (`.managed(prereq=…)`)
REQUISITES = NAMING_OTHERS - {"prerequired", "onfail_stop"}


class PyDslError(Exception):
    """What a file says is no state."""


class Compilation:
    """All files of one run of states: an id means the same in each, and what is declared goes to the file that is being rendered."""

    def __init__(self, include, apply):
        # renders another SLS, and says what is wrong with it
        self.include = include
        # runs high data at once
        self.apply = apply
        self.declarations = {}
        self.open = []
        self.modules = {}

    def current(self):
        if not self.open:
            raise PyDslError("states can be declared while a file of the renderer pydsl is being rendered, and not here")
        return self.open[-1]


class Options(dict):
    def __getattr__(self, name):
        return self.get(name)


class Sls:
    """One file, `__pydsl__` to itself."""

    def __init__(self, name, saltenv, compilation):
        self.name = name
        self.saltenv = saltenv
        self.compilation = compilation
        self.includes = []
        self.extends = []
        self.decls = []
        self.options = Options()
        # in the order in which they were made, while that is to be the order of their run
        self.funcs = []

    def set(self, **options):
        self.options.update(options)

    def include(self, *sls_names, **kws):
        saltenv = kws.get("saltenv", self.saltenv)
        if kws.get("delayed"):
            self.includes += [{saltenv: name} for name in sls_names]
            return None
        modules = [self._module(name, saltenv) for name in sls_names]
        if not modules:
            return None
        return modules[0] if len(modules) == 1 else modules

    def _module(self, name, saltenv):
        """Renders an SLS unless that was done. Returns its module, None where it is none of this language."""
        full, errors = self.compilation.include(saltenv, name)
        if errors:
            raise PyDslError("\n".join(errors))
        return self.compilation.modules.get(full)

    def extend(self, *state_funcs):
        if self.options.ordered or self.funcs:
            raise PyDslError("Cannot extend() after the ordered option was turned on!")
        for func in state_funcs:
            id_ = func.mod._state_id
            self.extends.append(self.compilation.declarations.pop(id_))
            self.decls = [one for one in self.decls if one._id != id_]

    def state(self, id=None):
        # stateconf makes the name of the file stand before the dot
        id = id or ".{}".format(uuid.uuid4())
        known = self.compilation.declarations
        if id not in known:
            known[id] = StateDeclaration(id, self.compilation)
            self.decls.append(known[id])
        return known[id]

    def last_func(self):
        return self.funcs[-1] if self.funcs else None

    def load_highstate(self, highstate):
        """Declares what high data says."""
        for id_, modules in highstate.items():
            for name, args in modules.items():
                name, _, func = name.partition(".")
                func = func or next(one for one in args if isinstance(one, str))
                given = {key: value for one in args if isinstance(one, dict) for key, value in one.items()}
                getattr(self.state(id_), name)(func, **given)

    def to_highstate(self, module):
        """High data, with the file's own module in it: functions of it may be called when the states run."""
        self.state("_slsmod_" + self.name).stateconf.set(slsmod=module)
        del self.compilation.declarations["_slsmod_" + self.name]
        data = {"include": self.includes} if self.includes else {}
        if self.extends:
            data["extend"] = {one._id: one._repr(is_extending=True) for one in self.extends}
        data.update((one._id, one._repr()) for one in self.decls)
        return data

    def detach(self, declaration):
        """Forgets a declaration that is run at once."""
        if self.compilation.declarations.get(declaration._id) is not declaration:
            return
        last = self.last_func()
        funcs = [module._func for module in declaration._mods]
        if last is not None and last is not funcs[-1]:
            raise PyDslError(
                "Cannot run state({}: {}) that is required by a runtime state({}: {}), at compile time.".format(
                    declaration._mods[-1]._name, declaration._id, last.mod, last.mod._state_id
                )
            )
        del self.compilation.declarations[declaration._id]
        self.decls = [one for one in self.decls if one is not declaration]
        funcs[0].after = None
        self.funcs = [one for one in self.funcs if one not in funcs]


class StateDeclaration:
    """An id. Its attributes are state modules; a call runs what is declared so far at once."""

    def __init__(self, id_, compilation):
        self._id = id_
        self._compilation = compilation
        self._mods = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name):
        found = next((one for one in self._mods if one._name == name), None)
        if found is None:
            found = StateModule(name, self._id, self._compilation)
            self._mods.append(found)
        return found

    def __str__(self):
        return self._id

    def __iter__(self):
        return iter(self._mods)

    def _repr(self, is_extending=False):
        return {one._name: one._repr(is_extending) for one in self._mods}

    def __call__(self, check=True):
        data = {self._id: self._repr()}
        self._compilation.current().detach(self)
        result = self._compilation.apply(data)
        if not isinstance(result, dict):
            raise PyDslError("An error occurred while running highstate: {}".format("; ".join(result)))
        result = sorted(result.items(), key=lambda one: one[1]["__run_num__"])
        for tag, told in result:
            if check and not told["result"]:
                raise PyDslError("Failed executing low state at compile time:\n{}".format(pprint.pformat({tag: told})))
        return result


class StateModule:
    """A state module of an id, and its one function."""

    def __init__(self, name, state_id, compilation):
        self._name = name
        self._state_id = state_id
        self._compilation = compilation
        self._func = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        is_requisite = name in REQUISITES
        if self._func is None:
            self._func = StateFunction(None if is_requisite else name, self)
        if is_requisite:
            return getattr(self._func, name)
        if self._func.name not in (None, name):
            raise PyDslError("Multiple state functions({}) not allowed in a state module({})!".format(name, self._name))
        self._func.name = name
        return self._func

    def __call__(self, *args, **kws):
        if not args:
            raise PyDslError("{}() wants the name of a state function as its first argument".format(self._name))
        return getattr(self, args[0])(*args[1:], **kws)

    def __str__(self):
        return self._name

    def _repr(self, is_extending=False):
        if self._func is None:
            raise PyDslError(_functionless(self))
        return self._func._repr(is_extending)


class StateFunction:
    """A function with its arguments. Its requisites are methods, which can be chained."""

    def __init__(self, name, mod):
        self.mod = mod
        self.name = name
        self.args = []
        # the function that was made before, where the order counts
        self.after = None
        sls = mod._compilation.current()
        if sls.options.ordered:
            self.after = sls.last_func()
            sls.funcs.append(self)

    def __getattr__(self, name):
        if name not in REQUISITES:
            raise AttributeError(name)

        def requisite(*args, **kws):
            for mod in args:
                self._refer(name, *_named(mod))
            for mod, id_ in kws.items():
                self._refer(name, mod, id_)
            return self

        return requisite

    def __call__(self, *args, **kws):
        return self.configure(args, kws)

    def configure(self, args, kws):
        args = list(args)
        if args and self.mod._name == "cmd" and self.name in ("call", "wait_call") and callable(args[0]):
            func = args[0]
            kws = {"func": func, "args": args[1:], "kws": kws}
            args = [func.__name__]
        if args:
            args[0] = {"name": args[0]}
        self.args += args + [{name: value} for name, value in kws.items()]
        return self

    def _refer(self, requisite, mod, id_):
        if not mod or not id_:
            raise PyDslError("Invalid requisite reference declaration! {}: {}".format(mod, id_))
        self.args.append({requisite: [{str(mod): str(id_)}]})

    def _repr(self, is_extending=False):
        if not self.name and not is_extending:
            raise PyDslError(_functionless(self.mod))
        before = [] if self.after is None else [{"require": [{self.after.mod._name: self.after.mod._state_id}]}]
        return ([self.name] if self.name else []) + _joined(before + self.args)


def _functionless(mod):
    return "No state function specified for module: {} (of the id '{}')".format(mod._name, mod._state_id)


def _named(mod):
    """What a requisite names by an object: a state module of an id, or its function."""
    mod = mod.mod if isinstance(mod, StateFunction) else mod
    if not isinstance(mod, StateModule):
        raise PyDslError("Invalid requisite reference declaration! {}: None".format(mod))
    return mod._name, mod._state_id


def _joined(args):
    """Arguments in which each requisite stands once, with all that it names: of two lists, only the second would count."""
    joined, lists = [], {}
    for arg in args:
        name, value = next(iter(arg.items())) if isinstance(arg, dict) and len(arg) == 1 else (None, None)
        if name not in REQUISITES or not isinstance(value, list):
            joined.append(arg)
        elif name in lists:
            lists[name] += value
        else:
            lists[name] = list(value)
            joined.append({name: lists[name]})
    return joined
