"""Templates: rendered by Brine through `slsutil.renderer` and `file.apply_template_on_contents`."""

from salt._seen import seen


def render_jinja_tmpl(tmplstr, context, tmplpath=None):
    """A text as Jinja makes it of a template."""
    given = {key: value for key, value in (context or {}).items() if key not in ("salt", "opts", "grains", "pillar", "saltenv", "sls")}
    return seen("__salt__")["slsutil.renderer"](string=tmplstr, default_renderer="jinja", saltenv=(context or {}).get("saltenv") or "base", **given)


def _wrap(name):
    def render(tmplsrc, from_str=False, to_str=False, context=None, tmplpath=None, **kwargs):
        """`result` and `data`: a text."""
        try:
            text = tmplsrc if from_str else open(getattr(tmplsrc, "name", tmplsrc), encoding="utf-8").read()
            names = dict(context or {}, **{key: value for key, value in kwargs.items() if _is_data(value)})
            made = seen("__salt__")["slsutil.renderer"](string=text, default_renderer=name, **names)
        except Exception as error:
            return {"result": False, "data": str(error)}
        return {"result": True, "data": made}

    return render


def _is_data(value):
    return isinstance(value, (str, int, float, bool, list, dict, type(None)))


JINJA, PY = _wrap("jinja"), _wrap("py")
TEMPLATE_REGISTRY = {"jinja": JINJA, "py": PY}


def py(sfn, string=False, **kwargs):
    """`result` and `data` of a Python file's `run()`."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("brine_ext.template", sfn)
    code = importlib.util.module_from_spec(spec)
    code.__dict__.update({"__{}__".format(key): value for key, value in kwargs.items() if key in ("salt", "grains", "pillar", "opts", "env", "sls")})
    code.__dict__.update(kwargs)
    spec.loader.exec_module(code)
    try:
        return {"result": True, "data": code.run()}
    except Exception as error:
        return {"result": False, "data": str(error)}
