"""Logging; the levels `trace`, `profile` and `garbage` are on every logger."""

import logging

from salt._parts import part_of
from salt.log.setup import LOG_LEVELS  # noqa: F401

getLogger = logging.getLogger
is_console_configured = is_logfile_configured = is_logging_configured = lambda: True


def __getattr__(name):
    return part_of(__name__, name)
