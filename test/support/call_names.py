"""Calls functions of `salt.*` named on standard input, and prints what each gives: `[[module, function, args, kwargs], …]`."""

import importlib
import json
import sys


def outcome(module, name, args, kwargs):
    try:
        value = getattr(importlib.import_module(module), name)(*args, **kwargs)
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]
    return ["returned", repr(value)]


json.dump([outcome(*case) for case in json.load(sys.stdin)], sys.stdout)
