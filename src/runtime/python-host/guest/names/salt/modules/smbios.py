"""What the firmware says of the machine, read by this process: grains ask it, for which there is no `__salt__` yet."""

import re
import shutil
import subprocess

from salt._thin import ThinModule

_SAYS_NOTHING = re.compile(r"^(none|not (specified|present|available|settable)|to be filled by o\.?e\.?m\.?|unknown|default string|0+|f+)$", re.I)

__getattr__ = ThinModule(__name__, "The other functions.").__getattr__


def get(string, clean=True):
    """One of dmidecode's keywords, `system-uuid` for instance; None when there is nothing to be had."""
    program = shutil.which("dmidecode") or shutil.which("smbios")
    if program is None:
        return None
    asked = subprocess.run([program, "-s", string], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    lines = [line for line in asked.stdout.decode("utf-8", "replace").splitlines() if not line.startswith("#")]
    text = "\n".join(lines).strip()
    if asked.returncode != 0 or not text:
        return None
    return None if clean and _SAYS_NOTHING.match(text) else text
