"""Accounts."""

import getpass
import grp
import os
import pwd


def get_user():
    """Who runs this."""
    return getpass.getuser() if not hasattr(os, "geteuid") else pwd.getpwuid(os.geteuid()).pw_name


def get_uid(user=None):
    """The number of an account, or None."""
    try:
        return pwd.getpwnam(user).pw_uid if user else os.geteuid()
    except KeyError:
        return None


def get_gid(group=None):
    """The number of a group, or None."""
    try:
        return grp.getgrnam(group).gr_gid if group else os.getegid()
    except KeyError:
        return None
