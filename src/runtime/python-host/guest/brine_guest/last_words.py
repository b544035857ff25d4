"""Where the code of modules was when the process ended, or when it was asked: written to a file that the program reads."""

import faulthandler
import os

# no signal that a module would use: the program sends it before it ends what hangs
WHERE = 50


def keep(descriptor):
    """Writes crashes, `os._exit` and the answer to the signal to a descriptor."""
    try:
        faulthandler.enable(descriptor)
        faulthandler.register(WHERE, descriptor)
    except (OSError, ValueError):
        return  # none was handed over
    here = os.getpid()
    leave = os._exit

    def _exit(status):
        if os.getpid() == here:
            try:
                faulthandler.dump_traceback(descriptor, all_threads=False)
            except (OSError, ValueError):
                pass
        leave(status)

    os._exit = _exit
