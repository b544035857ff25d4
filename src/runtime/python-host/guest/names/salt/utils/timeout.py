"""Waiting for something to become true."""

import time


def wait_for(func, timeout=10, step=1, default=None, func_args=(), func_kwargs=None):
    """What a function gives as soon as that is something, asked again and again; `default` when the seconds are over."""
    until = time.time() + timeout
    while time.time() <= until:
        given = func(*func_args, **(func_kwargs or {}))
        if given:
            return given
        time.sleep(max(0, min(step or 1, timeout, until - time.time())))
    return default
