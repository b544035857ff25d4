"""Asks varstack about one node. The question is JSON on standard input, the answer JSON on standard output."""

import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
# nothing is written beside this program
sys.dont_write_bytecode, written = True, sys.dont_write_bytecode
from brine_reclass import packed

sys.dont_write_bytecode = written


def main(question):
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    try:
        import varstack
    except ImportError as error:
        return {
            "fault": "{} cannot import varstack ({}): install it for this interpreter, or name another with"
            " python_executable".format(sys.executable, error)
        }
    try:
        return {"data": packed(varstack.Varstack(config_filename=question["config"]).evaluate(question["grains"]))}
    except Exception as error:
        return {"fault": "varstack: {}: {}".format(type(error).__name__, error)}


if __name__ == "__main__":
    out = os.dup(1)
    # what varstack prints is no part of the answer
    os.dup2(2, 1)
    answer = json.dumps(main(json.load(sys.stdin)))
    with os.fdopen(out, "w") as stream:
        stream.write(answer)
