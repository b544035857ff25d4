"""Texts as files."""

from io import BytesIO, StringIO  # noqa: F401


def is_stringio(obj):
    return isinstance(obj, StringIO)


is_readable = is_writable = is_stringio
