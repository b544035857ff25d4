"""Processes."""

import multiprocessing
import os


def os_is_running(pid):
    """Whether a process is there."""
    try:
        os.kill(int(pid), 0)
        return True
    except PermissionError:
        return True
    except OSError:
        return False


def daemonize(redirect_out=True):
    """Goes to the background: what a module starts so is on its own."""
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
    if os.fork() > 0:
        os._exit(0)


def clean_proc(proc, wait_for_kill=10):
    proc.terminate()
    proc.join(wait_for_kill)


def appendproctitle(name):
    pass


def set_pidfile(pidfile, user):
    with open(pidfile, "w") as handle:
        handle.write(str(os.getpid()))


def get_pidfile(pidfile):
    try:
        with open(pidfile) as handle:
            return int(handle.read().strip())
    except (OSError, ValueError):
        return -1


def check_pidfile(pidfile):
    return os.path.isfile(pidfile)


class Process(multiprocessing.Process):
    pass


MultiprocessingProcess = SignalHandlingProcess = SignalHandlingMultiprocessingProcess = Process
default_signals = lambda *signals: _Nothing()


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
