"""Data as text."""

import pprint

from salt._parts import part_of


def __getattr__(name):
    return part_of(__name__, name)


def get_printout(out, opts=None, **kwargs):
    return lambda data, **_: out_format(data, out, opts)


def _chosen(out, opts):
    """The outputter: the one of `--out` before the one that is asked for."""
    given = (opts or {}).get("output")
    return given if given and given != "highstate" else out or "nested"


def out_format(data, out, opts=None, **kwargs):
    """Data as one of the outputters shows it: `json`, `yaml`, `pprint`, `raw`, `txt`, `quiet`, else `nested`."""
    out = _chosen(out, opts)
    if out == "json":
        import salt.utils.json

        return salt.utils.json.dumps(data, indent=4)
    if out == "yaml":
        import salt.utils.yaml

        return salt.utils.yaml.safe_dump(data, default_flow_style=False)
    if out == "pprint":
        return pprint.pformat(data)
    if out == "raw":
        return repr(data)
    if out == "quiet":
        return ""
    if out in ("txt", "text") and isinstance(data, dict):
        return "\n".join("{}: {}".format(key, value) for key, value in data.items())
    from salt.output import nested

    return nested.output(data)


def string_format(data, out, opts=None, **kwargs):
    return out_format(data, out, opts)


def html_format(data, out, opts=None, **kwargs):
    return out_format(data, out, opts).replace(" ", "&nbsp;").replace("\n", "<br />")


def display_output(data, out=None, opts=None, **kwargs):
    """Prints data; in a module that is a line of the log."""
    print(out_format(data, out, opts))
