"""Files."""

import contextlib
import os
import re
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


TEMPFILE_PREFIX = "__salt.tmp."
VALID_PROTOS = ["http", "https", "ftp", "file"]
REMOTE_PROTOS = ("http", "https", "ftp", "swift", "s3")
LOCAL_PROTOS = ("", "file")
HASHES = {"sha512": 128, "sha384": 96, "sha256": 64, "sha224": 56, "sha1": 40, "md5": 32}


def istextfile(fp_, blocksize=512):
    """Whether the beginning of a file, by its path or open, is text."""
    try:
        if hasattr(fp_, "read"):
            block = fp_.read(blocksize)
        else:
            with open(fp_, "rb") as handle:
                block = handle.read(blocksize)
    except OSError:
        return False
    from salt.utils.stringutils import is_binary as holds_binary

    return not holds_binary(block)


def is_text(fp_, blocksize=512):
    return istextfile(fp_, blocksize)


def is_bin_file(path):
    return is_binary(path)


def is_empty(filename):
    try:
        return os.stat(filename).st_size == 0
    except OSError:
        return False


def is_fcntl_available(check_sunos=False):
    return True


def normalize_mode(mode):
    """A file mode as a text of four digits."""
    if mode is None:
        return None
    if not isinstance(mode, str):
        mode = str(mode)
    return mode.replace("0o", "0").strip('"').strip("'").lstrip("0").zfill(4)


@contextlib.contextmanager
def fpopen(*args, **kwargs):
    """An open file whose owner and mode are set first."""
    uid, gid, mode = kwargs.pop("uid", -1), kwargs.pop("gid", -1), kwargs.pop("mode", None)
    with fopen(*args, **kwargs) as handle:
        if mode is not None and (os.stat(args[0]).st_mode & 0o777) != mode:
            os.chmod(args[0], mode)
        if uid not in (-1, None) or gid not in (-1, None):
            os.chown(args[0], uid, gid)
        yield handle


@contextlib.contextmanager
def wait_lock(path, lock_fn=None, timeout=5, sleep=0.1, time_start=None):
    """Holds a file that nobody else holds."""
    import time

    from salt.exceptions import FileLockError

    lock = lock_fn or os.path.join(os.path.dirname(path), ".{}.w".format(os.path.basename(path)))
    begin = time.time() if time_start is None else time_start
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.time() - begin > timeout:
                raise FileLockError("Timeout of {} seconds exceeded waiting for lock_fn {} to be released".format(timeout, lock), time_start=begin) from None
            time.sleep(sleep)
    try:
        yield
    finally:
        safe_rm(lock)


def safe_walk(top, topdown=True, onerror=None, followlinks=True, _seen=None):
    """`os.walk` that enters no folder twice."""
    known = set()
    for root, folders, names in os.walk(top, topdown, onerror, followlinks):
        stat = os.stat(root)
        if (stat.st_dev, stat.st_ino) in known:
            folders[:] = []
            continue
        known.add((stat.st_dev, stat.st_ino))
        yield root, folders, names


def list_files(directory):
    """A folder and all that is below it."""
    found = set()
    for root, folders, names in safe_walk(directory):
        found.add(root)
        found.update(os.path.join(root, name) for name in names + folders)
    return list(found)


def recursive_copy(source, dest):
    shutil.copytree(source, dest, symlinks=True, dirs_exist_ok=True)


def copyfile(source, dest, backup_mode="", cachedir=""):
    """Copies a file so that the other is there whole; owner and mode stay."""
    new = mkstemp(dir=os.path.dirname(os.path.abspath(dest)))
    shutil.copyfile(source, new)
    if os.path.exists(dest):
        if backup_mode in ("minion", "both"):
            backup_minion(dest, os.path.join(cachedir, "file_backup"))
        stat = os.stat(dest)
        os.chown(new, stat.st_uid, stat.st_gid)
        os.chmod(new, stat.st_mode & 0o7777)
    os.replace(new, dest)


def rename(src, dst):
    os.replace(src, dst)


def process_read_exception(exc, path, ignore=None):
    """Says in words why a file cannot be read."""
    from salt.exceptions import CommandExecutionError

    if ignore is not None and exc.errno in (ignore if isinstance(ignore, (list, tuple)) else [ignore]):
        return
    raise CommandExecutionError("Unable to read '{}': {}".format(path, exc.strerror))


def backup_minion(path, bkroot):
    """Copies a file to the folder of back-ups, with the time in its name."""
    import time

    relative = os.path.dirname(path).lstrip("/")
    name = "{}_{}".format(os.path.basename(path), time.strftime("%a_%b_%d_%H_%M_%S_%f_%Y".replace("_%f", "")))
    folder = os.path.join(bkroot, relative)
    os.makedirs(folder, exist_ok=True)
    shutil.copy2(path, os.path.join(folder, name))


def get_encoding(path):
    """The encoding of a file: `ascii`, `utf-8` or what `chardet` would call `latin-1`."""
    with open(path, "rb") as handle:
        data = handle.read()
    for name in ("ascii", "utf-8"):
        try:
            data.decode(name)
            return name
        except UnicodeDecodeError:
            continue
    return "latin-1"


def get_umask():
    """The mode bits that new files do not get."""
    found = os.umask(0)
    os.umask(found)
    return found


def guess_archive_type(name):
    """`tar`, `zip` or `rar` by the end of a name, or None."""
    name = name.lower()
    if re.search(r"\.(tar(\.(gz|bz2|xz|lzma))?|tgz|tbz2?|txz|tlz)$", name):
        return "tar"
    found = re.search(r"\.(zip|rar)$", name)
    return found.group(1) if found else None


def safe_filename_leaf(file_basename):
    """A name with the characters that no system takes in names written as in addresses."""
    from urllib.parse import quote

    return re.sub(r'[\\:/*?"<>|]', lambda found: quote(found.group(), safe=""), file_basename)


def safe_filepath(file_path_name, dir_sep=None):
    """A path each of whose parts is a safe name."""
    mark = dir_sep or os.sep
    return mark.join(safe_filename_leaf(part) for part in file_path_name.split(mark))


def st_mode_to_octal(mode):
    """The last four digits of a mode."""
    try:
        return oct(mode)[-4:]
    except (TypeError, IndexError):
        return ""


def human_size_to_bytes(human_size):
    """Bytes of digits with one of the letters K, M, G, T, P behind them. Raises ValueError for anything else."""
    found = re.match(r"^(\d+)([KMGTP])?$", str(human_size))
    if not found:
        raise ValueError("Size must be all digits, with an optional unit type (K, M, G, T, or P)")
    return int(found.group(1)) * 1024 ** ("KMGTP".index(found.group(2)) + 1 if found.group(2) else 0)
