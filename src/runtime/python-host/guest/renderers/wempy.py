"""The renderer wempy (salt/renderers/wempy.py, 3006.16)."""

import io

try:
    from wemplate.wemplate import TemplateParser
except ImportError:
    TemplateParser = None


def __virtual__():
    return True if TemplateParser else (False, "the Python package wemplate is not installed")


def render(template_file, saltenv="base", sls="", argline="", context=None, **kws):
    text = template_file.read() if hasattr(template_file, "read") else template_file
    seen = dict(salt=__salt__, grains=__grains__, opts=__opts__, pillar=__pillar__, saltenv=saltenv, sls=sls, **kws)
    seen.update(context or {})
    return io.StringIO(TemplateParser(text).render(**seen))
