"""Job ids."""

import datetime


def gen_jid(opts=None):
    """A new one, of this moment."""
    return datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")


def is_jid(jid):
    return isinstance(jid, str) and len(jid) in (20, 25) and jid[:20].isdigit()
