"""JSON, with texts outside of ASCII as they are."""

import json


def loads(s, **kwargs):
    return json.loads(s, **_known(kwargs))


def load(fp, **kwargs):
    return json.load(fp, **_known(kwargs))


def dumps(obj, **kwargs):
    kwargs.setdefault("ensure_ascii", False)
    return json.dumps(obj, **_known(kwargs))


def dump(obj, fp, **kwargs):
    kwargs.setdefault("ensure_ascii", False)
    return json.dump(obj, fp, **_known(kwargs))


def _known(kwargs):
    return {key: value for key, value in kwargs.items() if not key.startswith("_json")}


def find_json(raw):
    """The JSON among other lines of a text. Raises ValueError when there is none."""
    lines = raw.splitlines()
    first = [line.lstrip()[:1] for line in lines]
    spans = [
        (begin, end)
        for begin, mark in enumerate(first)
        for end in range(len(lines) - 1, begin, -1)
        if (mark, first[end]) in (("{", "}"), ("[", "]"))
    ]
    spans.sort(key=lambda span: (sum(map(len, lines[span[0] : span[1] + 1])), span[1] - span[0], span[0]), reverse=True)
    for begin, end in spans:
        try:
            return json.loads("\n".join([*lines[begin:end], first[end]]))
        except ValueError:
            continue
    for begin in range(len(lines)):
        try:
            found = json.loads("\n".join(lines[begin:]))
        except ValueError:
            continue
        if found:
            return found
    raise ValueError


def import_json():
    return json
