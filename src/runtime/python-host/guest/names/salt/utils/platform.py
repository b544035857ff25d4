"""What system this is."""

import platform as _platform
import sys


def is_windows():
    return sys.platform.startswith("win")


def is_linux():
    return sys.platform.startswith("linux")


def is_darwin():
    return sys.platform.startswith("darwin")


def is_freebsd():
    return sys.platform.startswith("freebsd")


def is_openbsd():
    return sys.platform.startswith("openbsd")


def is_netbsd():
    return sys.platform.startswith("netbsd")


def is_sunos():
    return sys.platform.startswith("sunos")


def is_aix():
    return sys.platform.startswith("aix")


def is_proxy():
    return False


def is_aarch64():
    return _platform.machine().startswith("aarch64")


def is_smartos():
    return False


is_smartos_globalzone = is_smartos_zone = is_junos = is_photonos = is_smartos


def is_fedora():
    return _release_id() == "fedora"


def linux_distribution(full_distribution_name=True):
    """Name, version and code name of this distribution."""
    found = _release()
    return found.get("NAME", ""), found.get("VERSION_ID", ""), found.get("VERSION_CODENAME", "")


def get_machine_identifier():
    """The id that systemd or D-Bus gave this machine."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            with open(path) as handle:
                return handle.read().strip()
        except OSError:
            continue
    return ""


def _release_id():
    return _release().get("ID", "")


def _release():
    try:
        with open("/etc/os-release", encoding="utf-8") as handle:
            pairs = [line.strip().split("=", 1) for line in handle if "=" in line]
    except OSError:
        return {}
    return {name: value.strip("\"'") for name, value in pairs}
