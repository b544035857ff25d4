"""What modules of a site import most of `salt`, where no Salt is installed. Parts are loaded when they are first used."""

from salt._parts import part_of


def __getattr__(name):
    return part_of(__name__, name)
