"""The renderer genshi (salt/renderers/genshi.py, 3006.16)."""

try:
    import genshi.template as engine
except ImportError:
    engine = None


def __virtual__():
    return True if engine else (False, "the Python package Genshi is not installed (Debian: python3-genshi)")


def render(data, saltenv="base", sls="", method="xml", context=None, **kws):
    text = data.read() if hasattr(data, "read") else data
    if text.startswith("#!"):
        text = text[text.find("\n") + 1 :]
    if not text.strip():
        return {}
    seen = dict(salt=__salt__, grains=__grains__, opts=__opts__, pillar=__pillar__, saltenv=saltenv, sls=sls, **kws)
    seen.update(context or {})
    method = seen.get("method", method)
    kinds = {"text": engine.NewTextTemplate, "newtext": engine.NewTextTemplate, "oldtext": engine.OldTextTemplate}
    made = kinds.get(method, engine.MarkupTemplate)(text)
    return made.generate(**seen).render("text" if method in kinds else method)
