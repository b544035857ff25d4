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
