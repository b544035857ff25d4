"""Imports of the files that are part of Brine. What Python has compiled of them is kept in a folder below `cachedir` and never beside them: the package may belong to somebody else, or be read only."""

import importlib.machinery
import importlib.util
import marshal
import os
import stat
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# what is kept is for one Python, and for the very text it was made of
HEAD_BYTES = len(importlib.util.MAGIC_NUMBER) + 8


class OwnFile(importlib.machinery.SourceFileLoader):
    """Loads a file of Brine."""

    # where compiled files are kept; None where they are not
    kept_in = None

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if self.kept_in is None:
            return self.source_to_code(source, path)
        kept = os.path.join(self.kept_in, os.path.relpath(path, HERE).replace(os.sep, ".") + "c")
        # all files of a package that npm has installed have the same time, so that only the text tells versions apart
        head = importlib.util.MAGIC_NUMBER + importlib.util.source_hash(os.fsencode(path) + source)
        code = _read(kept, head)
        if code is None:
            code = self.source_to_code(source, path)
            _write(kept, head + marshal.dumps(code))
        return code


def reach(folder):
    """Makes Brine's modules importable, and what it has of Salt's names where no Salt is installed: the last places that are looked at.
    `folder` is where compiled files are kept, empty for nowhere; one that others could write to is not used."""
    OwnFile.kept_in = folder if folder and _is_private(folder) else None
    hook = importlib.machinery.FileFinder.path_hook((OwnFile, importlib.machinery.SOURCE_SUFFIXES))
    sys.path_hooks.insert(0, lambda path: hook(path) if _is_own(path) else _refuse(path))
    # a module's folder must not hide the standard library, and ours must not stand before the site's packages
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    sys.path.append(HERE)
    sys.path.append(os.path.join(HERE, "names"))
    sys.path_importer_cache.pop(HERE, None)


def loader_of(name, path):
    """What loads a file that is part of Brine; None for any other."""
    return OwnFile(name, path) if _is_own(path) else None


def _is_own(path):
    return path == HERE or path.startswith(HERE + os.sep)


def _refuse(path):
    raise ImportError("only for Brine's own folders", path=path)


def _is_private(folder):
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _read(kept, head):
    try:
        with open(kept, "rb") as file:
            data = file.read()
        return marshal.loads(memoryview(data)[HEAD_BYTES:]) if data.startswith(head) else None
    except (OSError, EOFError, ValueError, TypeError):
        return None


def _write(kept, data):
    fresh = "{}.{}".format(kept, os.getpid())
    try:
        with open(fresh, "wb") as file:
            file.write(data)
        os.replace(fresh, kept)
    except OSError:
        try:
            os.unlink(fresh)
        except OSError:
            pass  # it was not made
