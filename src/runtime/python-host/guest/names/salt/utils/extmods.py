"""Syncing of modules, by the program's own functions."""

from salt._seen import seen


def sync(opts, form, saltenv=None, extmod_whitelist=None, extmod_blacklist=None, **_):
    """Syncs the modules of a kind. Returns their names and whether there are any."""
    name = {"outputters": "output"}.get(form, form)
    given = {"extmod_whitelist": extmod_whitelist, "extmod_blacklist": extmod_blacklist}
    # a list alone is meant for this kind
    lists = {one: value if isinstance(value, dict) else {form: value.split(",") if isinstance(value, str) else value} for one, value in given.items() if value}
    done = seen("__salt__")["saltutil.sync_{}".format(name)](saltenv=",".join(saltenv) if isinstance(saltenv, list) else saltenv, **lists)
    return done, bool(done)
