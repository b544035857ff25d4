"""Packages of Red Hat."""

import platform
import subprocess

ARCHES_64 = ("x86_64", "athlon", "amd64", "ia32e", "ia64", "geode")
ARCHES_32 = ("i386", "i486", "i586", "i686")
ARCHES = ARCHES_64 + ARCHES_32 + ("aarch64", "armv7l", "noarch", "ppc64le", "s390x")


def get_osarch():
    """The architecture of this system's packages."""
    try:
        found = subprocess.run(["rpm", "--eval", "%{_host_cpu}"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    except (OSError, subprocess.CalledProcessError):
        found = ""
    return found or platform.machine() or "unknown"


def check_32(arch, osarch=None):
    """Whether both architectures have 32 bits."""
    return arch in ARCHES_32 and (osarch or get_osarch()) in ARCHES_32


def resolve_name(name, arch, osarch=None):
    """A package's name, with its architecture where that is not the system's."""
    osarch = osarch or get_osarch()
    return name if arch in (osarch, "noarch") or check_32(arch, osarch) else "{}.{}".format(name, arch)
