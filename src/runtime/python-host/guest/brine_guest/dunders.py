"""What modules see: `__salt__`, `__grains__`, `__opts__` and the others."""

import importlib


class Surroundings:
    """What one job gives the modules: options, grains, pillar."""

    def __init__(self, number, opts, grains, pillar):
        self.number = number
        self.opts = opts
        self.grains = grains
        self.pillar = pillar


class Functions:
    """`__salt__` and its like: functions by item, by attribute and by `.get`."""

    def __init__(self, guest, kind):
        self._guest = guest
        self._kind = kind

    def __getitem__(self, name):
        if not self._guest.has(self._kind, name):
            raise KeyError(name)
        return self._bound(name)

    def __contains__(self, name):
        return self._guest.has(self._kind, name)

    def get(self, name, default=None):
        return self._bound(name) if name in self else default

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _Branch(self, name)

    def _names(self):
        return self._guest.names(self._kind)

    def keys(self):
        return self._names()

    def __iter__(self):
        return iter(self._names())

    def __len__(self):
        return len(self._names())

    def items(self):
        return [(name, self._bound(name)) for name in self._names()]

    def values(self):
        return [self._bound(name) for name in self._names()]

    def _bound(self, name):
        def call(*args, **kwargs):
            return self._guest.call_back(self._kind, name, args, kwargs)

        call.__name__ = name
        return call


class Utilities:
    """`__utils__`: functions of the files in `_utils`, which are loaded when they are first used."""

    def __init__(self, find):
        self._find = find

    def __getitem__(self, name):
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
            raise AttributeError(name) from None
