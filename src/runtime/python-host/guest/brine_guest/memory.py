"""How much memory modules may take."""

import os
import sys

_most = 0
_before = None


def limit(most):
    """Limits the memory that the process may write to; 0 for no limit. What it only reserves does not count."""
    global _most, _before
    if most == 0:
        return
    import resource

    _most = most
    soft, hard = _before = resource.getrlimit(resource.RLIMIT_DATA)
    known = [one for one in (most, soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))


def spare_programs():
    """Has programs that modules start with `subprocess` go without the limit. Called after a module was loaded, which may have imported it."""
    subprocess = sys.modules.get("subprocess")
    execute = getattr(getattr(subprocess, "Popen", None), "_execute_child", None)
    if _before is None or execute is None or hasattr(execute, "brine_spares"):
        return
    import resource

    here = os.getpid()

    def execute_child(self, *args, **kwargs):
        execute(self, *args, **kwargs)
        if os.getpid() == here:
            try:
                resource.prlimit(self.pid, resource.RLIMIT_DATA, _before)
            except (AttributeError, OSError):
                pass  # it has ended, or has another account

    execute_child.brine_spares = True
    subprocess.Popen._execute_child = execute_child
