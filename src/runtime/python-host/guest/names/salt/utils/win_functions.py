"""Windows: not this machine."""


def is_admin(name):
    return False


def get_user_groups(name, sid=False):
    return []


def get_current_user(with_domain=True):
    return None
