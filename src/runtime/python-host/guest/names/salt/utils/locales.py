"""Text in the encoding of this machine."""

import builtins
import sys

from salt.utils.stringutils import to_unicode


def get_encodings():
    known = [getattr(builtins, "__salt_system_encoding__", None) or sys.getdefaultencoding(), sys.getdefaultencoding(), "utf-8", "latin-1"]
    return list(dict.fromkeys(known))


def sdecode(string_):
    """The text of bytes in the first encoding that fits."""
    for encoding in get_encodings():
        try:
            return to_unicode(string_, encoding)
        except UnicodeDecodeError:
            continue
    return string_


sdecode_if_string = lambda value: sdecode(value) if isinstance(value, (str, bytes)) else value


def split_locale(loc):
    """A locale's language, territory, codeset, modifier and charmap."""
    rest, _, charmap = loc.partition(" ")
    rest, _, modifier = rest.partition("@")
    rest, _, codeset = rest.partition(".")
    language, _, territory = rest.partition("_")
    return {"charmap": charmap, "modifier": modifier, "codeset": codeset, "language": language, "territory": territory}


def join_locale(comps):
    out = comps["language"]
    for mark, name in (("_", "territory"), (".", "codeset"), ("@", "modifier"), (" ", "charmap")):
        if comps.get(name):
            out += mark + comps[name]
    return out


def normalize_locale(loc):
    """A locale with its codeset in small letters without dashes."""
    comps = split_locale(loc)
    comps["territory"] = comps["territory"].upper()
    comps["codeset"] = comps["codeset"].lower().replace("-", "")
    comps["charmap"] = ""
    return join_locale(comps)
