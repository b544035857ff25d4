"""Syncing of modules: by the program's own functions, and of kinds for which there is none (`auth`), by this."""

import os
import shutil

from salt._seen import seen


def sync(opts, form, saltenv=None, extmod_whitelist=None, extmod_blacklist=None, **_):
    """Syncs the modules of a kind. Returns their names and whether there are any."""
    name = "saltutil.sync_{}".format({"outputters": "output"}.get(form, form))
    given = {"extmod_whitelist": extmod_whitelist, "extmod_blacklist": extmod_blacklist}
    # a list alone is meant for this kind
    lists = {one: value if isinstance(value, dict) else {form: value.split(",") if isinstance(value, str) else value} for one, value in given.items() if value}
    functions = seen("__salt__")
    if name not in functions:
        only, never = ((lists.get(one) or opts.get(one) or {}).get(form, []) for one in given)
        envs = saltenv.split(",") if isinstance(saltenv, str) else saltenv or ["base"]
        done = _copied(opts, form, envs, lambda file: file not in never and (not only or file in only))
    else:
        done = functions[name](saltenv=",".join(saltenv) if isinstance(saltenv, list) else saltenv, **lists)
    return done, bool(done)


def _copied(opts, form, envs, is_wanted):
    """Copies what has changed of a folder such as `_auth` out of the file roots to where modules are loaded from (3006.16)."""
    changed = []
    for folder in (os.path.join(root, "_" + form) for env in envs for root in opts.get("file_roots", {}).get(env, ())):
        for at, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                source = os.path.join(at, file)
                inside = os.path.relpath(source, folder)
                dest = os.path.join(opts["extension_modules"], form, inside)
                base = os.path.splitext(inside.replace(os.sep, "."))[0]
                if not file.endswith(".py") or not is_wanted(base) or _is_same(source, dest):
                    continue
                os.makedirs(os.path.dirname(dest), mode=0o755, exist_ok=True)
                shutil.copyfile(source, dest)
                changed.append("{}.{}".format(form, base))
    return changed


def _is_same(one, other):
    if not os.path.exists(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()
