"""systemd."""

import os
import re
import subprocess


def booted(context=None):
    """Whether this machine was started by systemd."""
    return os.path.exists("/run/systemd/system")


def offline(context=None):
    return bool(os.environ.get("SYSTEMD_OFFLINE"))


def version(context=None):
    """The number of the version; None where there is no systemd."""
    try:
        printed = subprocess.run(["systemctl", "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    except OSError:
        return None
    match = re.search(r"systemd\s+(\d+)", printed)
    return int(match.group(1)) if match else None


def has_scope(context=None):
    """Whether `systemd-run --scope` is there."""
    return (version(context) or 0) >= 205


def status(context=None):
    return booted(context)


def pid_to_service(pid):
    """The service that a process belongs to, or None."""
    try:
        with open("/proc/{}/cgroup".format(int(pid))) as handle:
            match = re.search(r"/([^/\n]+)\.service", handle.read())
        return match.group(1) if match else None
    except OSError:
        return None
