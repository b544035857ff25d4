"""YAML, by the package PyYAML where it is installed."""

import yaml

YAMLError = yaml.YAMLError


def safe_load(stream, Loader=None):
    return yaml.safe_load(stream)


load = safe_load


def safe_dump(data, stream=None, **kwargs):
    kwargs.setdefault("allow_unicode", True)
    kwargs.setdefault("default_flow_style", None)
    return yaml.safe_dump(data, stream, **kwargs)


dump = safe_dump
