"""Data that cannot be changed."""

import types


def freeze(obj):
    """Mappings and lists, at every depth, as what cannot be changed."""
    if isinstance(obj, dict):
        return types.MappingProxyType({key: freeze(value) for key, value in obj.items()})
    if isinstance(obj, list):
        return tuple(freeze(item) for item in obj)
    return frozenset(obj) if isinstance(obj, set) else obj


ImmutableDict, ImmutableList, ImmutableSet = types.MappingProxyType, tuple, frozenset
