"""What modules see: `__salt__`, `__grains__`, `__opts__` and the others."""

import importlib
import marshal
import pickle


class Shown(dict):
    """A mapping as modules see it: Salt's loader shows them something that gives the mapping itself (salt/loader/context.py, 3006.16)."""

    def value(self):
        return self


class Surroundings:
    """What one job gives the modules: options, grains, pillar."""

    def __init__(self, number, opts, grains, pillar):
        self.number = number
        self._kept = _kept((opts, grains, pillar))
        self._set(opts, grains, pillar)

    def renew(self):
        """Takes back what modules have changed in them: a job's changes are its own."""
        self._set(*(marshal if isinstance(self._kept, bytes) else pickle).loads(bytes(self._kept)))

    def _set(self, opts, grains, pillar):
        # Salt's loader finds them there, and so do modules
        opts.update(grains=grains, pillar=pillar)
        self.opts, self.grains, self.pillar = Shown(opts), Shown(grains), Shown(pillar)
        # grains and what files of the site have found besides
        self.collected = dict(grains)


def _kept(values):
    """Values as they are now; dates, which are rare, want the slower way."""
    try:
        return marshal.dumps(values)
    except ValueError:
        return bytearray(pickle.dumps(values))


def is_name(name):
    """Whether it can be that of a function: `module.function`."""
    return isinstance(name, str) and "." in name


def check_name(name):
    """Raises what Salt's loader raises for what is no name (salt/loader/lazy.py `_load`, 3006.16)."""
    if not isinstance(name, str):
        raise KeyError("The key must be a string.")
    if "." not in name:
        raise KeyError("The key '{}' should contain a '.'".format(name))


class Functions:
    """`__salt__` and its like: functions by item, by attribute and by `.get`."""

    def __init__(self, guest, kind):
        self._guest = guest
        self._kind = kind

    def __getitem__(self, name):
        check_name(name)
        found = self._guest.find(self._kind, name)
        if found is None:
            raise KeyError(name)
        return found

    def __setitem__(self, name, value):
        self._guest.put(self._kind, name, value)

    def __delitem__(self, name):
        self._guest.take_away(self._kind, name)

    def __contains__(self, name):
        return is_name(name) and self._guest.find(self._kind, name) is not None

    def value(self):
        return self

    def get(self, name, default=None):
        found = self._guest.find(self._kind, name) if is_name(name) else None
        return default if found is None else found

    def __getattr__(self, name):
        # a name that ends in a dot asks for a module
        if name.startswith("_") or self._guest.find(self._kind, name + ".") is None:
            raise AttributeError(name)
        return _Branch(self, name)

    def keys(self):
        return self._guest.names(self._kind)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def items(self):
        return [(name, self[name]) for name in self.keys()]

    def values(self):
        return [self[name] for name in self.keys()]


class Called:
    """A function of the program."""

    def __init__(self, guest, kind, name):
        self._guest = guest
        self._kind = kind
        self._full = name
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]

    def __call__(self, *args, **kwargs):
        return self._guest.call_back(self._kind, self._full, args, kwargs)

    @property
    def __doc__(self):
        if self._kind != "modules":
            return ""
        return self._guest.call_back("modules", "sys.doc", [self._full], {}).get(self._full) or ""


class Utilities:
    """`__utils__`: functions of the files in `_utils`, which are loaded when they are first used."""

    def __init__(self, find, files):
        self._find = find
        self._files = files

    def keys(self):
        """Those of the site; what `salt.utils` has is found by its name."""
        return ["{}.{}".format(file, name) for file in self._files() for name in self._find(file).functions()]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __getitem__(self, name):
        check_name(name)
        module, _, function = name.partition(".")
        try:
            return self._find(module).functions()[function]
        except LookupError:
            raise KeyError(name) from None

    def __contains__(self, name):
        return self.get(name) is not None

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _Branch(self, name)


class JobEvent:
    """`__jid_event__`: events of the run of a runner, whose callers see those of the tag `progress`."""

    def __init__(self, guest):
        self._guest = guest

    def fire_event(self, data, tag, timeout=None):
        return self._guest.fire(str(tag), dict(data))


class Compiler:
    """`__compiler__`: what makes high data of SLS, while it has one of them rendered."""

    def __init__(self, guest):
        self._guest = guest

    def name(self):
        """Which run of it that is; None for what is rendered otherwise."""
        return self._guest.call_back("compiler", "name", [], {})

    def include(self, saltenv, sls):
        """Has another SLS rendered before this one. Returns its full name and what is wrong with it."""
        return self._guest.call_back("compiler", "include", [saltenv, sls], {})


class Serializers:
    """`__serializers__`: those of `salt.serializers`, looked up when they are used."""

    def __init__(self, opts):
        self._opts = opts
        self._found = None

    def _all(self):
        if self._found is None:
            self._found = importlib.import_module("salt.loader").serializers(self._opts)
        return self._found

    def __getitem__(self, name):
        return self._all()[name]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _Branch(self, name)

    def __contains__(self, name):
        return name in self._all()

    def get(self, name, default=None):
        return self._all().get(name, default)

    def __iter__(self):
        return iter(self._all())

    def keys(self):
        return self._all().keys()


class _Branch:
    """`__salt__.cmd`, of which `.run` is the function."""

    def __init__(self, functions, module):
        self._functions = functions
        self._module = module

    def __getattr__(self, name):
        try:
            return self._functions[self._module + "." + name]
        except KeyError:
            raise AttributeError("No attribute by the name of {} was found on {}".format(name, self._module))
