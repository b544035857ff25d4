"""Dumpers of YAML."""

from salt.utils.yaml import IndentMixin, OrderedDumper, SafeOrderedDumper, dump, get_dumper, safe_dump  # noqa: F401
