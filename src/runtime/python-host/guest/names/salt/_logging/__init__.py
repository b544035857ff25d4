"""Logging, under the name of newer versions."""

from salt.log.setup import *  # noqa: F401,F403
