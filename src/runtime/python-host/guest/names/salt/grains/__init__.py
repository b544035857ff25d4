"""Grains."""

from salt._parts import part_of


def __getattr__(name):
    return part_of(__name__, name)
