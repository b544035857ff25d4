"""Lists of packages, for states that sites have taken over from Salt."""

from salt._seen import seen
from salt._thin import ThinModule
from salt.utils.data import repack_dictlist

__getattr__ = ThinModule(__name__, "The other functions.").__getattr__


def _repack_pkgs(pkgs, normalize=True):
    """A list of packages, some with a version, as one mapping; their names are normalised where packages have normal names."""
    functions = seen("__salt__")
    to_name = functions["pkg.normalize_name"] if normalize and "pkg.normalize_name" in functions else str
    return {to_name(str(name)): version if version is None else str(version) for name, version in repack_dictlist(pkgs).items()}
