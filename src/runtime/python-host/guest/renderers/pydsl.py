"""The renderer pydsl: SLS whose states are chained calls in Python (salt/renderers/pydsl.py, 3006.16)."""

import types

from brine_guest import pydsl
from brine_guest.raised import placed, sourced
from salt.exceptions import SaltRenderError

# runs of states that a job is in, one in another; each is over before the next one of as many
COMPILATIONS_MAX = 8


def render(template, saltenv="base", sls="", tmplpath=None, **kws):
    text = template.read() if hasattr(template, "read") else template
    compilation = _compilation()
    file = pydsl.Sls(sls, saltenv, compilation)
    module = types.ModuleType(sls)
    # states are handed the very module
    module.__deepcopy__ = lambda _: module
    vars(module).update(
        __pydsl__=file,
        include=lambda *args, **kwargs: compilation.current().include(*args, **kwargs),
        extend=lambda *args: compilation.current().extend(*args),
        state=lambda *args, **kwargs: compilation.current().state(*args, **kwargs),
        __salt__=__salt__,
        __grains__=__grains__,
        __opts__=__opts__,
        __pillar__=__pillar__,
        __env__=saltenv,
        __sls__=sls,
        __file__=tmplpath,
        **kws
    )
    compilation.open.append(file)
    try:
        with sourced(tmplpath, text):
            exec(compile(text, tmplpath or "<string>", "exec", dont_inherit=True), vars(module))
            data = file.to_highstate(module)
    except Exception as error:
        raise SaltRenderError(placed(error, tmplpath, pydsl.PyDslError)) from None
    finally:
        compilation.open.pop()
    compilation.modules[sls] = module
    return data


def _compilation():
    """What the files of a run of states share."""
    name = __compiler__.name()
    if name is None:
        raise SaltRenderError("The renderer pydsl makes states, and is for SLS of states.")
    known = __context__.setdefault("pydsl_compilations", {})
    if name not in known:
        known[name] = pydsl.Compilation(__compiler__.include, __salt__["state.high"])
        while len(known) > COMPILATIONS_MAX:
            del known[next(iter(known))]
    return known[name]
