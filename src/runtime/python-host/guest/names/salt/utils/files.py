"""Files."""

import contextlib
import os
import shutil
import tempfile


def fopen(*args, **kwargs):
    """Opens a file as text in UTF-8, unless it is told otherwise."""
    mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
    if "b" not in mode and len(args) < 4:
        kwargs.setdefault("encoding", "utf-8")
    return open(*args, **kwargs)




def mkstemp(*args, **kwargs):
    """A new file of this user alone. With `close_fd=False` also its descriptor."""
    close = kwargs.pop("close_fd", True)
    kwargs.setdefault("prefix", "__salt.tmp.")
    descriptor, path = tempfile.mkstemp(*args, **kwargs)
    if not close:
        return descriptor, path
    os.close(descriptor)
    return path


def rm_rf(path):
    """Removes a file, or a folder with all that is in it."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def remove(path):
    """Removes a file, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)


def safe_rm(tgt):
    """Removes a file, if that can be."""
    with contextlib.suppress(OSError):
        os.remove(tgt)


def is_binary(path):
    """Whether a file's beginning is no text."""
    try:
        with open(path, "rb") as handle:
            return b"\0" in handle.read(2048)
    except OSError:
        return False


@contextlib.contextmanager
def set_umask(mask):
    """Files made within have this mask."""
    if mask is None:
        yield
        return
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def flopen(*args, **kwargs):
    """An open file, locked for others."""
    import fcntl

    with fopen(*args, **kwargs) as handle:
        fcntl.flock(handle.fileno(), fcntl.LOCK_SH)
        try:
            yield handle
        finally:
            fcntl.flock(handle.fileno(), fcntl.LOCK_UN)
