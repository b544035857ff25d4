"""Functions of a kind, as Salt's loader gives them to those who ask."""

from salt._seen import seen
from salt.loader.called import Called, minion_functions


def minion_mods(opts, context=None, utils=None, whitelist=None, initial_load=False, loaded_base_name=None, notify=False, static_modules=None, proxy=None, file_client=None):
    """The execution functions: those of the module that asks; where it has none, of `salt-call` with these options."""
    return minion_functions(opts)


def runner(opts, utils=None, context=None, whitelist=None):
    """The master's functions, run by `salt-run`."""
    return Called("salt-run", opts)


def grains(opts, force_refresh=False, proxy=None, context=None, loaded_base_name=None):
    """The grains of this machine."""
    found = seen("__grains__", None) or (opts or {}).get("grains")
    return dict(found or Called("salt-call", opts)["grains.items"]())


def states(opts, functions, utils=None, serializers=None, whitelist=None, proxy=None, context=None, loaded_base_name=None):
    return seen("__states__")


def returners(opts, functions, whitelist=None, context=None, proxy=None):
    return seen("__ret__")


def utils(opts, whitelist=None, context=None, proxy=None, pack_self=None, **_):
    return seen("__utils__")


def serializers(opts):
    from salt.loader.own import Serializers

    return Serializers()


def render(opts, functions, states=None, proxy=None, context=None):
    """The renderers, each a function of a text and what templates see."""
    from salt.loader.own import Renderers

    return Renderers(opts, functions)


def outputters(opts):
    """The outputters, each a function of data that gives a text."""
    from salt.loader.own import Outputters

    return Outputters()


def pillars(opts, functions, context=None):
    """External pillars of a site's own, by name."""
    from salt.loader.own import Files

    return Files(opts, "pillar", "ext_pillar", {"__salt__": functions})


def raw_mod(opts, name, functions, mod="modules"):
    """The functions of one module."""
    mine = seen("__salt__" if mod == "modules" else "__states__")
    return {fun: mine[fun] for fun in mine.keys() if fun.startswith(name + ".")}


def matchers(opts, loaded_base_name=None):
    """What tells whether a target means a minion of these options."""
    from salt.loader.matching import Matchers

    return Matchers(opts)
