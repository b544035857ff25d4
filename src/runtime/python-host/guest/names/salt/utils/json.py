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
