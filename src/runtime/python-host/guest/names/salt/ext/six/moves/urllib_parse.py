"""`urllib.parse`."""

from urllib.parse import *  # noqa: F401,F403
