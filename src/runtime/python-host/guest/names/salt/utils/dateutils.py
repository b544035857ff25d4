"""Dates."""

import datetime

FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%m/%d/%Y", "%H:%M:%S", "%H:%M")


def date_cast(date):
    """A moment of a text or of seconds; now, of nothing."""
    if date is None:
        return datetime.datetime.now()
    if isinstance(date, datetime.datetime):
        return date
    if isinstance(date, (int, float)) or str(date).isdigit():
        return datetime.datetime.fromtimestamp(float(date))
    for form in FORMATS:
        try:
            return datetime.datetime.strptime(str(date), form)
        except ValueError:
            continue
    raise ValueError("Unable to parse {}. Consider installing timelib".format(date))


def date_format(date=None, format="%Y-%m-%d"):
    return date_cast(date).strftime(format)


strftime = date_format


def total_seconds(td):
    return td.total_seconds()
