"""Terminals of Salt's own: the errors, which sites catch and extend. A terminal itself is part of a Salt alone."""

import sys


class TerminalException(Exception):
    """Something is wrong with a terminal."""


class Terminal:
    """Not here: says what is to be done."""

    def __init__(self, *_, **__):
        raise TerminalException(
            "salt.utils.vt.Terminal is there only where a Salt can be imported: install one for {}, or name another interpreter "
            "with python_executable".format(sys.executable)
        )
