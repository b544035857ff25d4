"""Arguments of functions."""

import collections
import inspect

_ArgSpec = collections.namedtuple("_ArgSpec", "args varargs keywords defaults")


def clean_kwargs(**kwargs):
    """Keywords without those that the caller adds, which begin with two underscores."""
    return {key: value for key, value in kwargs.items() if not key.startswith("__")}


def invalid_kwargs(invalid_kwargs, raise_exc=True):
    """Refuses keywords that a function does not know."""
    if isinstance(invalid_kwargs, dict):
        invalid_kwargs = ["{}={}".format(key, value) for key, value in invalid_kwargs.items()]
    message = "The following keyword arguments are not valid: {}".format(", ".join(invalid_kwargs))
    if not raise_exc:
        return message
    from salt.exceptions import SaltInvocationError

    raise SaltInvocationError(message)


def get_function_argspec(func, is_class_method=None):
    """Names and defaults of the parameters of a function."""
    spec = inspect.getfullargspec(func)
    names = spec.args[1:] if is_class_method or inspect.ismethod(func) else spec.args
    return _ArgSpec(names, spec.varargs, spec.varkw, spec.defaults)


def split_input(val, mapper=None):
    """A text with commas, or a list, as a list of texts."""
    mapper = mapper or (lambda item: item)
    items = val if isinstance(val, list) else str(val).split(",")
    return [mapper(item.strip() if isinstance(item, str) else item) for item in items]


def shlex_split(s, **kwargs):
    """The words of a command line; what is no text stays as it is."""
    import shlex

    return shlex.split(s, **kwargs) if isinstance(s, str) else s


def test_mode(**kwargs):
    """Whether one of the keywords is `test`, and true."""
    from salt.utils.data import is_true

    return any(key.lower() == "test" and is_true(value) for key, value in kwargs.items())
