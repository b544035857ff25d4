"""Secrets in texts."""

import fnmatch
import os


def mask_args_value(data, mask):
    """A text with the values of the lines `key: value` that a glob matches hidden."""
    if not mask:
        return data
    return "\n".join(_masked(line, mask) for line in data.split(os.linesep))


def _masked(line, mask):
    if ":" not in line or not fnmatch.fnmatch(line.strip(), mask):
        return line
    return "{}: ** hidden **".format(line.split(":", 1)[0].strip())
