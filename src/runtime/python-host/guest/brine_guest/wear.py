"""What modules leave behind in the process, and when it is too much for further calls."""

import sys
import threading

# threads that modules may leave running: each keeps its stack, and may keep whatever it works with
THREADS_MAX = 64
# what every call needs; a module that replaces one of these would be felt by the next
NEEDED = ("builtins", "importlib", "io", "logging", "os", "struct", "sys", "threading", "traceback")

_modules = sys.modules
_needed = {name: module for name, module in sys.modules.items() if name in NEEDED or name.startswith("brine_guest")}
# where a module has replaced it
_threads = threading.active_count


def is_unfit():
    """Whether another process should answer what is asked from now on."""
    modules = sys.modules
    if modules is not _modules or any(modules.get(name) is not module for name, module in _needed.items()):
        return True
    return _threads() > THREADS_MAX
