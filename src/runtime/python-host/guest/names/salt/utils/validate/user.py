"""Accounts."""

import re

NAME = re.compile(r"^[a-z_.][a-z0-9_. -]*[$]?$", re.I)
LONGEST = 32


def valid_username(user):
    return isinstance(user, str) and len(user) <= LONGEST and NAME.match(user) is not None
