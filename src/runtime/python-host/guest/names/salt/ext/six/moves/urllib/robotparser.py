"""`urllib.robotparser`."""

from urllib.robotparser import *  # noqa: F401,F403
