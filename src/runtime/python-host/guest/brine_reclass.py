"""Asks reclass about one node. The question is JSON on standard input, the answer JSON on standard output."""

import json
import os
import sys


def main(question):
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    if question["source"]:
        sys.path.insert(0, os.path.abspath(os.path.expanduser(question["source"])))
    try:
        from reclass.adapters import salt as adapter
        from reclass.errors import ReclassException
    except ImportError as error:
        return {
            "fault": "{} cannot import reclass ({}): install it for this interpreter, or name another with"
            " python_executable, or its folder with reclass_source_path".format(sys.executable, error)
        }
    try:
        if question["fun"] == "top":
            data = adapter.top(question["id"], **question["options"])
        else:
            data = adapter.ext_pillar(question["id"], question["pillar"], **question["options"])
    except ReclassException as error:
        return {"fault": str(error)}
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        return {"fault": "unexpected option: {}".format(str(error).split()[-1])}
    return {"data": packed(data)}


def packed(value):
    """Mappings as lists of pairs below `d`: JSON would make text of their keys."""
    if isinstance(value, dict):
        return {"d": [[packed(key), packed(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple, set)):
        return {"l": [packed(item) for item in value]}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


if __name__ == "__main__":
    out = os.dup(1)
    # what reclass prints is no part of the answer
    os.dup2(2, 1)
    answer = json.dumps(main(json.load(sys.stdin)))
    with os.fdopen(out, "w") as stream:
        stream.write(answer)
