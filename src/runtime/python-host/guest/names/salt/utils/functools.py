"""Functions of one module in another."""

import types


def namespaced_function(function, global_dict, defaults=None, preserve_context=None):
    """A copy of a function that sees the names of another module."""
    names = dict(function.__globals__)
    names.update(global_dict)
    copied = types.FunctionType(
        function.__code__, names, function.__name__, defaults or function.__defaults__, function.__closure__
    )
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__doc__ = function.__doc__
    copied.__dict__.update(function.__dict__)
    return copied


def alias_function(fun, name, doc=None):
    """A function under another name."""
    copied = types.FunctionType(fun.__code__, fun.__globals__, str(name), fun.__defaults__, fun.__closure__)
    copied.__dict__.update(fun.__dict__)
    copied.__doc__ = doc or "\nThis function is an alias of ``{}``.\n".format(fun.__name__) + (fun.__doc__ or "")
    return copied
