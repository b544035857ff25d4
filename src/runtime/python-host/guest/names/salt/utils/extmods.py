"""Syncing of modules, by the program's own functions."""

from salt._seen import seen


def sync(opts, form, saltenv=None, extmod_whitelist=None, extmod_blacklist=None, **_):
    """Syncs the modules of a kind. Returns their names and whether there are any."""
    name = {"outputters": "output"}.get(form, form)
    done = seen("__salt__")["saltutil.sync_{}".format(name)](saltenv=",".join(saltenv) if isinstance(saltenv, list) else saltenv)
    return done, bool(done)
