"""The renderer cheetah (salt/renderers/cheetah.py, 3006.16)."""

try:
    from Cheetah.Template import Template
except ImportError:
    Template = None


def __virtual__():
    return True if Template else (False, "the Python package Cheetah3 is not installed (Debian: python3-cheetah)")


def render(data, saltenv="base", sls="", context=None, **kws):
    text = data.read() if hasattr(data, "read") else data
    if text.startswith("#!"):
        text = text[text.find("\n") + 1 :]
    if not text.strip():
        return {}
    seen = dict(salt=__salt__, grains=__grains__, opts=__opts__, pillar=__pillar__, saltenv=saltenv, sls=sls, **kws)
    seen.update(context or {})
    return str(Template.compile(text)(namespaces=[seen]))
