"""Which minions a target reaches."""

import os

from salt import payload


def get_minion_data(minion, opts):
    """Id, grains and pillar of a minion as the master has kept them, each None when it has not."""
    path = os.path.join(opts.get("cachedir") or "/var/cache/salt/master", "minions", str(minion), "data.p")
    try:
        with open(path, "rb") as handle:
            data = payload.loads(handle.read())
    except OSError:
        return minion if minion else None, None, None
    return minion, data.get("grains"), data.get("pillar")


class CkMinions:
    """Asks `salt-run` which minions a target means."""

    def __init__(self, opts):
        self.opts = opts

    def check_minions(self, expr, tgt_type="glob", delimiter=":", greedy=True):
        from salt.loader.called import Called

        found = Called("salt-run", self.opts)["cache.grains"](expr, tgt_type=tgt_type)
        return {"minions": sorted(found or {}), "missing": []}

    def connected_ids(self, subset=None, show_ip=False):
        from salt.loader.called import Called

        return set(Called("salt-run", self.opts)["manage.present"]() or [])


def nodegroup_comp(nodegroup, nodegroups, skip=None, first_call=True):
    """The words of a group, with those of the groups that it names."""
    given = nodegroups.get(nodegroup, "")
    words = given.split() if isinstance(given, str) else list(given)
    out = []
    for word in words:
        if word.startswith("N@") and word[2:] != nodegroup:
            out += ["("] + nodegroup_comp(word[2:], nodegroups, first_call=False) + [")"]
        else:
            out.append(word)
    return out
