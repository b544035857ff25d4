"""Parts of a package as its attributes, since Salt's own packages have them loaded long before a site's module asks."""

import importlib


def part_of(package, name):
    """The module `name` of a package. Raises AttributeError when there is none."""
    if not name.startswith("__"):
        full = package + "." + name
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
    raise AttributeError("module '{}' has no attribute '{}'".format(package, name))


def lazily(package, places):
    """A `__getattr__` for a package: old names of functions by where they are now (`module.function`), then its modules."""

    def find(name):
        place = places.get(name)
        if place is None:
            return part_of(package, name)
        module, _, function = place.rpartition(".")
        return getattr(importlib.import_module(package + "." + module), function)

    return find
