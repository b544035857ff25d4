"""Ordered mappings; those of Python are."""

from collections import OrderedDict

__all__ = ["OrderedDict"]
