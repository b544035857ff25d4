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
    return value[0] if isinstance(value, str) and value[0] in "'\"" and value[-1] == value[0] else ""


def dequote(value):
    """A text without the quotation marks around it."""
    return value[1:-1] if is_quoted(value) else value


def contains_whitespace(text):
    return any(char.isspace() for char in text)


def expr_match(line, expr):
    """Whether a text is the expression, matches it as a glob, or as a regular expression from its beginning to its end."""
    try:
        return line == expr or fnmatch.fnmatch(line, expr) or re.match(r"\A{}\Z".format(expr), line) is not None
    except (re.error, TypeError):
        return False


def check_whitelist_blacklist(value, whitelist=None, blacklist=None):
    """Whether a text matches one of the first list, if there is one, and none of the second."""

    def listed(items):
        return [items] if isinstance(items, str) else list(items or [])

    if any(expr_match(value, expr) for expr in listed(blacklist)):
        return False
    return not whitelist or any(expr_match(value, expr) for expr in listed(whitelist))


def to_none(text):
    """None of a text without anything but blanks."""
    return None if isinstance(text, str) and not text.strip() else text


def is_binary(data):
    """Whether texts or bytes hold more than a third of what is no text."""
    if not data or not isinstance(data, (str, bytes)):
        return False
    data = to_bytes(data)
    if b"\0" in data:
        return True
    others = sum(1 for byte in data if not (32 <= byte < 127 or byte in (7, 8, 9, 10, 12, 13, 27)))
    return others / len(data) > 0.30


def is_hex(value):
    try:
        int(value, 16)
        return True
    except (TypeError, ValueError):
        return False


def random(size=32):
    """A text of so many random characters."""
    import secrets

    return secrets.token_hex(size)[:size]


_UNITS = {unit: 1024**power for power, unit in enumerate("bkmgtpe")}


def human_to_bytes(size, default_unit="B", handle_metric=False):
    """Bytes of a text as `5MB` or `1.5 GiB`; 0 of what is none."""
    number, unit = re.match(r"([0-9.]*)\s*(.*)$", str(size).strip()).groups()
    unit = unit.lower() or default_unit.lower()
    if not re.match(r"(b|[kmgtpezy](i?b)?)$", unit):
        return 0
    try:
        value = int(number) if number.isdigit() else float(number)
    except ValueError:
        return 0
    base = 1000 if handle_metric and re.match(r".b$", unit) else 1024
    return int(value * base ** "bkmgtpezy".index(unit[0]))


def build_whitespace_split_regex(text):
    """A regular expression for a text in which blanks may be any."""
    out = ""
    for line in text.splitlines():
        words = [re.escape(word) for word in line.split()]
        out += r"(?:[\s]+)?" + r"(?:[\s]+)?".join(words) + r"(?:[\s]+)?"
    return r"(?m)^" + out + "$"


def check_include_exclude(path_str, include_pat=None, exclude_pat=None):
    """Whether a path is meant: by a glob, or a regular expression behind `E@`, that includes it, and none that excludes it."""

    def matches(pattern):
        if pattern.startswith("E@"):
            return re.search(pattern[2:], path_str) is not None
        return fnmatch.fnmatch(path_str, pattern)

    included = matches(include_pat) if include_pat else None
    excluded = matches(exclude_pat) if exclude_pat else False
    if included is None:
        return not excluded
    return included and not excluded


def print_cli(msg, retries=10, step=0.01):
    print(msg)
    return True


def get_context(template, line, num_lines=5, marker=None):
    """The lines around one of a text."""
    lines = template.splitlines()
    begin, end = max(line - num_lines - 1, 0), line + num_lines
    shown = lines[begin:end]
    at = line - begin - 1
    if marker and 0 <= at < len(shown):
        shown[at] += marker
    shown = (["[...]"] if begin > 0 else []) + shown + (["[...]"] if end < len(lines) else [])
    return "\n".join(["---"] + shown + ["---"])


def get_diff(a, b, *args, **kwargs):
    """The differences of two texts, or lists of lines, as `diff -u` shows them."""
    import difflib

    def to_lines(given):
        return given if isinstance(given, list) else to_unicode(given).splitlines(True)

    return "".join(difflib.unified_diff(to_lines(a), to_lines(b), *args, **kwargs))


def camel_to_snake_case(camel_input):
    out = camel_input[0].lower()
    for at, letter in enumerate(camel_input[1:], 1):
        begins = letter.isupper() and (camel_input[at - 1].islower() or camel_input[at + 1 : at + 2].islower())
        out += ("_" if begins else "") + letter.lower()
    return out


def snake_to_camel_case(snake_input, uppercamel=False):
    words = snake_input.split("_")
    out = words[0] + "".join(word.capitalize() for word in words[1:])
    return out[:1].upper() + out[1:] if uppercamel else out
