"""Pillar."""

from salt._seen import seen


def get_pillar(opts, grains, minion_id, saltenv=None, ext=None, funcs=None, pillar_override=None, pillarenv=None, extra_minion_data=None):
    return Pillar(opts, grains, minion_id, saltenv, pillar_override=pillar_override, pillarenv=pillarenv)


class Pillar:
    """The pillar of a minion: of the one that asks by `pillar.items`, of others by `salt-run pillar.show_pillar`."""

    def __init__(self, opts, grains, minion_id, saltenv, ext=None, functions=None, pillar_override=None, pillarenv=None, extra_minion_data=None):
        self.opts = opts
        self.minion_id = minion_id
        self.saltenv = saltenv
        self._override = pillar_override

    def compile_pillar(self, ext=True):
        if self._is_mine():
            return seen("__salt__")["pillar.items"](**({"pillar": self._override} if self._override else {}))
        from salt.loader.called import Called

        return Called("salt-run", self.opts)["pillar.show_pillar"](self.minion_id)

    def _is_mine(self):
        return seen("__opts__", {}).get("id") == self.minion_id and seen("__salt__", None) is not None


AsyncPillar = RemotePillar = Pillar
