"""Files that are there whole or not at all."""

import os
import shutil
import tempfile

CAN_RENAME_OPEN_FILE = True
atomic_rename = os.replace


class _AtomicWFile:
    """An open file that takes the place of another when it is closed."""

    def __init__(self, fhanle, tmp_filename, filename):
        self._handle, self._tmp, self._filename = fhanle, tmp_filename, filename

    def __getattr__(self, name):
        return getattr(self._handle, name)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.close()
            return
        self._handle.close()
        os.remove(self._tmp)

    def close(self):
        if self._handle.closed:
            return
        self._handle.close()
        if os.path.isfile(self._filename):
            shutil.copymode(self._filename, self._tmp)
            stat = os.stat(self._filename)
            os.chown(self._tmp, stat.st_uid, stat.st_gid)
        os.replace(self._tmp, self._filename)


def atomic_open(filename, mode="w"):
    if mode not in ("w", "wb", "r", "rb", "r+", "w+", "w+b", "r+b"):
        raise TypeError("Write mode required. Mode {!r} is not supported".format(mode))
    folder = os.path.dirname(os.path.abspath(filename))
    handle = tempfile.NamedTemporaryFile(mode, prefix=".___atomic_write", dir=folder, delete=False)
    return _AtomicWFile(handle, handle.name, filename)
