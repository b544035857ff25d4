"""What functions of the program give, as modules look at it: data, and for some the class that Salt's own functions give."""

import importlib

# salt/state.py `building_highstate` and `top_matches`, 3006.16
CLASSES = {
    "state.show_highstate": lambda odict, value: odict.HashableOrderedDict(value),
    "state.show_sls": lambda odict, value: odict.HashableOrderedDict(value),
    "state.show_top": lambda odict, value: odict.DefaultOrderedDict(odict.HashableOrderedDict, value),
}


def given(name, value):
    """What the function of this full name has given."""
    make = CLASSES.get(name)
    return value if make is None or type(value) is not dict else make(importlib.import_module("salt.utils.odict"), value)
