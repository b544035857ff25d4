"""The renderer mako (salt/renderers/mako.py, 3006.16)."""

import io
import os

from salt.exceptions import SaltRenderError

try:
    import mako.exceptions
    import mako.lookup
    import mako.template
    from mako.lookup import TemplateCollection
except ImportError:
    mako = None
    TemplateCollection = object


def __virtual__():
    return True if mako else (False, "the Python package Mako is not installed (Debian: python3-mako)")


class Served(TemplateCollection):
    """Templates that others include: of the file server, of files beside them, and with `file://` of this machine."""

    def __init__(self, saltenv):
        super().__init__()
        self._saltenv = saltenv
        self._known = {}

    def adjust_uri(self, uri, relativeto):
        scheme, found, _ = uri.partition("://")
        if found:
            if scheme not in ("salt", "file"):
                raise ValueError("Unsupported URL scheme({}) in {}".format(scheme, uri))
            return uri
        if uri.startswith("/") or not relativeto:
            return uri
        return os.path.join(os.path.dirname(relativeto), uri)

    def get_template(self, uri, relativeto=None):
        if uri not in self._known:
            if uri.startswith("file://"):
                path = uri[len("file://") :]
            else:
                name = uri[len("salt://") :] if uri.startswith("salt://") else uri.lstrip("/")
                path = __salt__["cp.cache_file"]("salt://" + name, self._saltenv)
            if not path or not os.path.isfile(path):
                raise mako.exceptions.TopLevelLookupException("Can't locate template for uri {!r}".format(uri))
            with open(path, encoding="utf-8") as handle:
                text = handle.read()
            self._known[uri] = mako.template.Template(text, uri=uri, lookup=self, strict_undefined=True)
        return self._known[uri]


def render(template_file, saltenv="base", sls="", context=None, tmplpath=None, **kws):
    text = template_file.read() if hasattr(template_file, "read") else template_file
    seen = dict(salt=__salt__, grains=__grains__, opts=__opts__, pillar=__pillar__, saltenv=saltenv, sls=sls, **kws)
    seen.update(context or {})
    try:
        made = mako.template.Template(
            text, strict_undefined=True, uri=sls.replace(".", "/") or None, lookup=Served(saltenv)
        )
        return io.StringIO(made.render(**seen))
    except Exception:
        raise SaltRenderError(mako.exceptions.text_error_template().render()) from None
