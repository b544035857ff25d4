"""What a site's Python has to call, as a real Salt's loader finds it."""

import inspect
import json
import os

import calls

OWN = "brinecompared"
TEXTS = ("alpha: 1\n", "#!py\ndef run():\n    return {}\n", "{{ 1 }}", "")
CONFIGS = ("{}", "{alpha: 1}")


def warm():
    """What every program of Salt imports, once for all that are forked."""
    import salt.cli.call
    import salt.cli.run
    import salt.grains.core
    import salt.loader
    import salt.modules.cmdmod
    import salt.modules.file
    import salt.modules.saltutil
    import salt.modules.state
    import salt.modules.sysmod
    import salt.output.json_out
    import salt.renderers.jinja
    import salt.renderers.yaml
    import salt.runner
    import salt.runners.saltutil
    import salt.scripts
    import salt.state


def has(root, kind):
    """Whether the site has files of a kind, but for the one that makes the calls."""
    folder = os.path.join(root, "srv/_" + kind)
    return os.path.isdir(folder) and any(name.endswith(".py") and not name.startswith(OWN) for _, _, names in os.walk(folder) for name in names)


def calls_of(root, brief):
    """The calls of programs in their order, and those that a function of ours makes in one job, by kind. `brief`: states in test mode only."""
    import salt.config
    import salt.loader

    opts = salt.config.minion_config(os.path.join(root, "minion"))
    opts["file_client"] = "local"
    opts["grains"] = salt.loader.grains(opts)
    utils = salt.loader.utils(opts)
    functions = salt.loader.minion_mods(opts, utils=utils)
    states = salt.loader.states(opts, functions, utils, None)
    loaded = {"modules": functions, "utils": utils, "states": states}
    if has(root, "runners"):
        loaded["runners"] = salt.loader.runner(salt.config.master_config(os.path.join(root, "master")))
    many = {}
    programs = [{"program": "salt-call", "words": ["grains.items"]}] if has(root, "grains") else []
    for kind, loader in loaded.items():
        if not has(root, kind):
            continue
        found = [one for one in _found(root, kind, loader) if not one[0].startswith(OWN)]
        asked = [{"kind": kind, "fun": fun, "kwargs": kwargs} for fun, params in found for kwargs in _kwargs(kind, fun, params)]
        many[kind] = [one for one in asked if not any(word in json.dumps(one) for word in calls.LEFT_OUT)]
        if many[kind]:
            programs += _programs(root, kind, many[kind], brief)
    programs += _others(root, opts, functions)
    return {"programs": programs, "many": many}


def _kwargs(kind, fun, params):
    if kind != "states":
        return list(calls.lists(params))
    name = calls.fitting("path") if "file" in fun else "alpha"
    return [{"name": name, **kwargs} for kwargs in calls.lists([one for one in params if one[0] != "name"])]


def _programs(root, kind, asked, brief):
    path = os.path.join(root, "calls.json")
    program = "salt-run" if kind == "runners" else "salt-call"
    if kind == "states":
        for test in ("True",) if brief else ("True", "False"):
            yield {"program": program, "many": kind, "words": ["state.single", OWN + ".states", "name=alpha", "path=" + path, "kind=" + kind, "test=" + test]}
    else:
        yield {"program": program, "many": kind, "words": [OWN + ".batch", path, kind]}
    if kind in ("modules", "runners") and not brief:
        # one as it is typed
        yield {"program": program, "words": calls.words(asked[0]["fun"], asked[0]["kwargs"])}


def _others(root, opts, functions):
    import salt.loader

    renderers = salt.loader.render(opts, functions) if has(root, "renderers") else {}
    for name in (fun.rpartition(".")[0] for fun, _ in _found(root, "renderers", renderers.loader if hasattr(renderers, "loader") else renderers) if fun.endswith(".render")):
        for text in TEXTS:
            yield {"program": "salt-call", "words": ["slsutil.renderer", "string=" + text, "default_renderer=" + name]}
    for fun, _ in _found(root, "returners", salt.loader.returners(opts, functions)) if has(root, "returners") else ():
        if fun.endswith(".returner"):
            yield {"program": "salt-call", "words": ["test.echo", "alpha"], "options": ["--return", fun.partition(".")[0]]}
    for fun, _ in _found(root, "pillar", None) if has(root, "pillar") else ():
        if fun.endswith(".ext_pillar"):
            for config in CONFIGS:
                yield {"program": "salt-call", "words": ["pillar.items"], "config": "ext_pillar: [{{{}: {}}}]\n".format(fun.partition(".")[0], config)}


TAGS = {"modules": "module", "runners": "runner", "returners": "returner", "renderers": "render"}


def _found(root, kind, whole):
    """Functions of a site's files, and of each [parameter, whether it has a default]. Only those files are loaded."""
    import salt.config
    import salt.loader.lazy

    folder = os.path.join(root, "var/cache/salt", "master" if kind == "runners" else "minion", "extmods", kind)
    opts = whole.opts if hasattr(whole, "opts") else salt.config.minion_config(os.path.join(root, "minion"))
    pack = dict(getattr(whole, "pack", {}), __salt__=getattr(whole, "pack", {}).get("__salt__", whole if whole is not None else {}))
    loader = salt.loader.lazy.LazyLoader([folder], opts, tag=TAGS.get(kind, kind), pack=pack)
    for name in sorted(loader):
        params = inspect.signature(_code(loader[name])).parameters.values()
        yield name, [[one.name, one.default is not one.empty] for one in params if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def _code(function):
    return getattr(function, "func", function)
