"""Moments."""

import datetime
import time


def get_timestamp_at(time_in=None, time_at=None):
    """Seconds since 1970 in so many minutes, or at `HH:MM` of today."""
    if time_in:
        hours, _, minutes = str(time_in).partition(":")
        seconds = int(hours) * 3600 + int(minutes) * 60 if minutes else int(hours) * 60
        return int(time.time()) + seconds
    if time_at:
        at = _time_of(str(time_at))
        return int(datetime.datetime.now().replace(hour=at.hour, minute=at.minute, second=0, microsecond=0).timestamp())
    return int(time.time())


def get_time_at(time_in=None, time_at=None, out_fmt="%Y-%m-%dT%H:%M:%S"):
    return datetime.datetime.fromtimestamp(get_timestamp_at(time_in, time_at)).strftime(out_fmt)


FORMATS = ("%H%M", "%Hh%M", "%I%p", "%I:%M%p", "%I:%M %p", "%H:%M")


def _time_of(text):
    for form in FORMATS:
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    raise ValueError("{} does not match any of the accepted formats: {}".format(text, ", ".join(FORMATS[:-1])))
