"""Loaders of YAML."""

from salt.utils.yaml import SaltYamlSafeLoader, load, safe_load  # noqa: F401
