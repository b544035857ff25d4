"""Files in Python whose `run` makes the result: SLS in `#!py`, and templates of the kind `py`."""

import os
import types


def load(path, text):
    """The code of a file. As in Salt it sees nothing of what `run` sees while the file itself is run."""
    code = types.ModuleType(os.path.basename(path).split(".")[0])
    code.__file__ = path
    exec(compile(text, path, "exec", dont_inherit=True), code.__dict__)
    return code


def run(code, seen, variables):
    """What `run` of a file gives. `seen` is `salt`, `grains` and their like, which the file also has with underscores."""
    for name, value in seen.items():
        setattr(code, name, value)
        setattr(code, "__" + name + "__", value)
    for name, value in variables.items():
        setattr(code, name, value)
    return code.run()
