"""Errors that are raised by their names, and told on the event bus."""

import builtins

import salt.exceptions


def raise_error(name=None, args=None, message=""):
    """Raises the error of a name: one of Salt's, one of Python's, else SaltException."""
    name = name or "Exception"
    known = next((getattr(place, name) for place in (salt.exceptions, builtins) if hasattr(place, name)), salt.exceptions.SaltException)
    raise known(message) if args is None else known(*args)


def pack_exception(exc):
    """An error as data."""
    return exc.pack() if hasattr(exc, "pack") else {"message": str(exc), "args": exc.args}


def fire_exception(exc, opts, job=None, node="minion"):
    """Fires an error as the event `_salt_error`."""
    from salt.utils.event import get_event

    with get_event(node, opts=opts, listen=False) as bus:
        bus.fire_event(pack_exception(exc), "_salt_error")
