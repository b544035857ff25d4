"""Texts in pieces."""

import fnmatch
import re


def split(orig, sep=None):
    """The parts of a text one after the other, as `str.split` has them."""
    pattern = re.compile(r"\s+" if sep is None else re.escape(sep))
    begin = 0
    if sep is None:
        orig = orig.strip()
        if not orig:
            return
    for match in pattern.finditer(orig):
        yield orig[begin : match.start()]
        begin = match.end()
    yield orig[begin:]


def read_file(fh_, chunk_size=1048576):
    """Pieces of an open file, which is closed behind the last."""
    with fh_:
        while True:
            piece = fh_.read(chunk_size)
            if not piece:
                return
            yield piece


def fnmatch_multiple(candidates, pattern):
    """The first of several that a glob matches, or None."""
    return next((one for one in candidates if fnmatch.fnmatch(one, pattern)), None)
