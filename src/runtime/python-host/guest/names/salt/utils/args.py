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


def yamlify_arg(arg):
    """A word of a command line as the value that it means in YAML; what is no YAML stays a text."""
    if not isinstance(arg, str) or arg.strip() == "" or "_" in arg and all(part.isdigit() for part in arg.split("_")):
        return arg
    if arg in ("None", "null", "~"):
        return None
    if arg.strip().lower() in ("none", "null", "!"):
        return arg
    if "#" in arg and not arg.strip().startswith(("{", "[")):
        return arg
    import salt.utils.yaml

    try:
        value = salt.utils.yaml.safe_load(arg)
    except salt.utils.yaml.YAMLError:
        return arg
    if isinstance(value, dict) and not arg.strip().startswith("{") or isinstance(value, list) and not arg.strip().startswith("["):
        return arg
    return value if isinstance(value, (dict, list, str, int, float, bool)) else arg


def parse_input(args, condition=True, no_parse=None):
    """Words of a command line as positional arguments and a mapping of keywords."""
    skip = no_parse or []
    given, keywords = [], {}
    for arg in args:
        name, value = parse_kwarg(arg) if isinstance(arg, str) else (None, None)
        if name:
            keywords[name] = value if name in skip else yamlify_arg(value)
        elif isinstance(arg, dict) and "__kwarg__" in arg:
            keywords.update({key: yamlify_arg(one) for key, one in arg.items() if key != "__kwarg__"})
        else:
            given.append(yamlify_arg(arg) if isinstance(arg, str) else arg)
    return condition_input(given, keywords) if condition else (given, keywords)


def condition_input(args, kwargs):
    """Arguments in the form in which jobs carry them."""
    return list(args or []) + ([dict({"__kwarg__": True}, **kwargs)] if kwargs else [])


def parse_kwarg(string_):
    """The parts of `name=value`; two times None of another text."""
    import re

    match = re.match(r"^([^\d\W][\w.-]*)=(?!=)(.*)$", string_, re.DOTALL)
    return match.groups() if match else (None, None)


def parse_function(s):
    """Name, positional and keyword arguments, all as texts, of `name(a, b=1)`; three times None of another text."""
    import re

    match = re.match(r"^\s*([^()\s]+)\s*\((.*)\)\s*$", s, re.DOTALL)
    if match is None:
        return None, None, None
    args, kwargs = [], {}
    for part in _top_level_parts(match.group(2)):
        name, equals, value = part.partition("=")
        if equals:
            kwargs[name] = value
        elif part:
            args.append(part)
    return match.group(1), args, kwargs


def _top_level_parts(text):
    """What stands between commas outside of brackets and quotation marks, without the marks, and without blanks outside of them."""
    part, depth, mark = "", 0, ""
    for char in text:
        if mark:
            if char == mark:
                mark = ""
            else:
                part += char
        elif char in "'\"":
            mark = char
        elif char == "," and depth == 0:
            yield part
            part = ""
        elif not char.isspace():
            depth += (char in "([{") - (char in ")]}")
            part += char
    yield part


def arg_lookup(fun, aspec=None):
    """Arguments without and with defaults, as `args` and `kwargs`."""
    spec = aspec or get_function_argspec(fun)
    defaults = spec.defaults or ()
    at = len(spec.args) - len(defaults)
    return {"args": list(spec.args[:at]), "kwargs": dict(zip(spec.args[at:], defaults))}


def format_call(fun, data, initial_ret=None, expected_extra_kws=(), is_class_method=None):
    """`args` and `kwargs` for a function, out of a mapping."""
    from salt.exceptions import SaltInvocationError

    spec = get_function_argspec(fun, is_class_method)
    wanted = arg_lookup(fun, spec)
    out = initial_ret if initial_ret is not None else {}
    out["kwargs"] = {name: data.get(name, default) for name, default in wanted["kwargs"].items()}
    missing = [name for name in wanted["args"] if name not in data]
    if missing:
        words = "missing {} required positional argument{}".format(len(missing), "s" if len(missing) > 1 else "")
        raise SaltInvocationError("{} {}: '{}'".format(fun.__name__, words, "', '".join(missing)))
    out["args"] = [data[name] for name in wanted["args"]]
    known = set(wanted["args"]) | set(wanted["kwargs"]) | set(expected_extra_kws)
    others = {key: value for key, value in data.items() if key not in known}
    if spec.keywords:
        out["kwargs"].update(others)
    return out


def prepare_kwargs(all_kwargs, class_init_kwargs):
    """The keywords that a class takes, and the others."""
    ours = {key: value for key, value in all_kwargs.items() if key in class_init_kwargs}
    return ours, {key: value for key, value in all_kwargs.items() if key not in class_init_kwargs}
