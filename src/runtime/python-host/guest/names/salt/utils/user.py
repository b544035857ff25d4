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
        return os.geteuid() if user is None else pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def get_gid(group=None):
    """The number of a group, or None."""
    try:
        return os.getegid() if group is None else grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def get_group_list(user, include_default=True):
    """The names of an account's groups."""
    names = {one.gr_name for one in grp.getgrall() if user in one.gr_mem}
    try:
        own = grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name
    except KeyError:
        return sorted(names)
    return sorted(names | {own} if include_default else names - {own})


def get_group_dict(user=None, include_default=True):
    """The groups of an account with their numbers."""
    return {name: grp.getgrnam(name).gr_gid for name in get_group_list(user, include_default)}


def get_gid_list(user, include_default=True):
    return sorted(set(get_group_dict(user, include_default).values()))


def chugid(runas, group=None):
    """Becomes another account, with its groups."""
    account = pwd.getpwnam(runas)
    os.initgroups(runas, account.pw_gid)
    os.setgid(grp.getgrnam(group).gr_gid if group else account.pw_gid)
    os.setuid(account.pw_uid)


def chugid_and_umask(runas, umask, group=None):
    if runas is not None:
        chugid(runas, group)
    if umask is not None:
        os.umask(umask)


def get_default_group(user):
    try:
        return grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name
    except KeyError:
        return None


def get_specific_user():
    user = get_user()
    return "sudo_{}".format(os.environ["SUDO_USER"]) if user == "root" and os.environ.get("SUDO_USER") else user
