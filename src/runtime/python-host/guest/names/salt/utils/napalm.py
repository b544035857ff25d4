"""NAPALM, through which Salt's proxies reach network devices; Brine has no proxies, so its modules are not available here."""

import functools


def is_proxy(opts):
    return False


def is_minion(opts):
    return False


def is_always_alive(opts):
    return True


def not_always_alive(opts):
    return False


def virtual(opts, virtualname, filename):
    """Why a module that needs NAPALM is not available."""
    return False, '"{}" ({}) cannot be loaded: it reaches its device through a proxy minion, which Brine does not have'.format(virtualname, filename)


def proxy_napalm_wrap(function):
    """The function as it is: it is never called."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped
