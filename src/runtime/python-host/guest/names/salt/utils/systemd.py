"""systemd: whether it is there, and in which version. What is found out is kept in `__context__`, where that is handed over."""

import os
import re
import subprocess
from collections.abc import MutableMapping


def _kept(context, name, find):
    """What is kept under the name, else what is found now. Raises SaltInvocationError for a context that is no mapping."""
    from salt.exceptions import SaltInvocationError

    if context is None:
        return find()
    if not isinstance(context, MutableMapping):
        raise SaltInvocationError("context must be a dictionary if passed")
    key = "salt.utils.systemd." + name
    if key not in context:
        found = find()
        if found is None:
            return None
        context[key] = found
    return context[key]


def booted(context=None):
    """Whether this machine was started by systemd."""
    return _kept(context, "booted", lambda: os.path.exists("/run/systemd/system"))


def offline(context=None):
    """Whether systemd is installed but does not run; true is the path of systemctl."""
    from salt.utils.path import which

    return _kept(context, "offline", lambda: not booted(context) and which("systemctl"))


def status(context=None):
    """Whether systemd can be asked."""

    def find():
        said = subprocess.run(["systemctl", "status"], stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr
        return b"Failed to get D-Bus connection: No such file or directory" not in said

    return _kept(context, "status", find)


def version(context=None):
    """The number of the version; None where systemctl does not tell it."""

    def find():
        printed = subprocess.run(["systemctl", "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
        match = re.search(r"\w+ ([0-9]+)", (printed.splitlines() or [""])[0])
        return int(match.group(1)) if match else None

    return _kept(context, "version", find)


def has_scope(context=None):
    """Whether `systemd-run --scope` can be used."""
    return booted(context) and (version(context) or 0) >= 205 and status(context)


def pid_to_service(pid):
    """The service that a process belongs to, or None."""
    from salt.utils.json import find_json

    try:
        told = subprocess.run(["systemctl", "--output", "json", "status", str(pid)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
        name = find_json(told.decode()).get("_SYSTEMD_UNIT") or ""
    except (OSError, ValueError, AttributeError, subprocess.CalledProcessError):
        return None
    return name[: -len(".service")] if name.endswith(".service") else None
