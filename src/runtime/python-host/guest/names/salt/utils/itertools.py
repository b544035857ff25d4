"""Texts in pieces."""

import fnmatch
import re


def split(orig, sep=None):
    """The parts of a text one after the other, as `str.split` has them."""
    pattern = re.compile(r"\s+" if sep is None else re.escape(sep))
    begin = 0
    if sep is None:
        orig = orig.strip()
    for match in pattern.finditer(orig):
        yield orig[begin : match.start()]
        begin = match.end()
    if begin < len(orig):
        yield orig[begin:]


def read_file(fh_, chunk_size=1048576):
    """Pieces of a file, open or by its path, which is closed behind the last."""
    with fh_ if hasattr(fh_, "read") else open(fh_, "rb") as fh_:
        while True:
            piece = fh_.read(chunk_size)
            if not piece:
                return
            yield piece


def fnmatch_multiple(candidates, pattern):
    """The first of several that a glob matches, or None."""
    return next((one for one in candidates if fnmatch.fnmatch(one, pattern)), None)
