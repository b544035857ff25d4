"""Text and bytes."""

import fnmatch
import re

ENCODING = "utf-8"


def to_bytes(s, encoding=None, errors="strict"):
    """Bytes of a text; bytes stay what they are."""
    if s is None:
        return s
    if isinstance(s, (bytes, bytearray)):
        return bytes(s)
    if isinstance(s, str):
        return s.encode(encoding or ENCODING, errors)
    raise TypeError("expected str, bytes, or bytearray not {}".format(type(s)))


def to_unicode(s, encoding=None, errors="strict", normalize=False):
    """The text of bytes; a text stays what it is."""
    if isinstance(s, (bytes, bytearray)):
        s = s.decode(encoding or ENCODING, errors)
    if not isinstance(s, str):
        raise TypeError("expected str, bytes, or bytearray not {}".format(type(s)))
    if normalize:
        import unicodedata

        return unicodedata.normalize("NFC", s)
    return s


to_str = to_unicode


def to_num(text):
    """A text as an integer or a float, else as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def is_quoted(value):
    """The quotation mark around a text, else an empty text."""
    mark = value[0]
    return mark if mark in "'\"" and value[-1] == mark else ""


def dequote(value):
    """A text without the quotation marks around it."""
    return value[1:-1] if is_quoted(value) else value


def contains_whitespace(text):
    return any(char.isspace() for char in text)


def expr_match(line, expr):
    """Whether a text is the expression, matches it as a glob, or as a regular expression from its beginning to its end."""
    if line == expr or fnmatch.fnmatch(line, expr):
        return True
    try:
        return re.match(r"\A{}\Z".format(expr), line) is not None
    except re.error:
        return False


def check_whitelist_blacklist(value, whitelist=None, blacklist=None):
    """Whether a text matches one of the first list, if there is one, and none of the second."""

    def listed(items):
        return [items] if isinstance(items, str) else list(items or [])

    if any(expr_match(value, expr) for expr in listed(blacklist)):
        return False
    return not whitelist or any(expr_match(value, expr) for expr in listed(whitelist))
