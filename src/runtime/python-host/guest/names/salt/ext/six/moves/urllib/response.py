"""`urllib.response`."""

from urllib.response import *  # noqa: F401,F403
