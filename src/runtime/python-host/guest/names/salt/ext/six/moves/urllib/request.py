"""`urllib.request`."""

from urllib.request import *  # noqa: F401,F403
