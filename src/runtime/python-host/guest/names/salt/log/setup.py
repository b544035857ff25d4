"""The levels of logging, by their words; where lines go is Brine's to say."""

import logging

PROFILE, TRACE, GARBAGE, QUIET = 15, 5, 1, 1000
LOG_LEVELS = {
    "all": logging.NOTSET,
    "debug": logging.DEBUG,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "garbage": GARBAGE,
    "info": logging.INFO,
    "profile": PROFILE,
    "quiet": QUIET,
    "trace": TRACE,
    "warning": logging.WARNING,
}
LOG_COLORS = {"levels": {}, "msgs": {}, "name": "", "process": ""}
SORTED_LEVEL_NAMES = [name for name, _ in sorted(LOG_LEVELS.items(), key=lambda pair: pair[1])]


def get_logging_level_from_string(level):
    return LOG_LEVELS.get(str(level).lower(), logging.WARNING)


def is_console_configured():
    return True


is_logfile_configured = is_logging_configured = is_console_configured


def setup_console_logger(*_, **__):
    pass


setup_logfile_logger = setup_temp_logger = set_multiprocessing_logging_queue = setup_multiprocessing_logging = setup_console_logger
