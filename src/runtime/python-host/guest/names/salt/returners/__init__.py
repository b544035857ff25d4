"""Options of returners."""


def get_returner_options(virtualname=None, ret=None, attrs=None, **kwargs):
    """The options of a returner, by their short names: from the return, from `ret_config`, else by `config.option`, else the default."""
    ret = ret or {}
    given = dict(ret.get("ret_kwargs") or {})
    profile = ret.get("ret_config")
    defaults = kwargs.get("defaults") or {}
    source = _source(kwargs)
    found = {}
    for name in attrs or {}:
        long_name = attrs[name]
        places = ["{}.{}.{}".format(virtualname, profile, long_name)] if profile else []
        value = _first(source, places + ["{}.{}".format(virtualname, long_name)])
        nested = source(str(virtualname))
        if value is None and isinstance(nested, dict):
            value = nested.get(long_name)
        if value is None:
            value = defaults.get(name)
        if value is not None or name in defaults:
            found[name] = value
        if name in given:
            found[name] = given[name]
    return found


def _source(kwargs):
    salt, opts = kwargs.get("__salt__") or {}, kwargs.get("__opts__") or {}
    if "config.option" in salt:
        option = salt["config.option"]
        return lambda name: option(name) or None
    return opts.get


def _first(source, places):
    for place in places:
        value = source(place)
        if value is not None and value != "":
            return value
    return None
