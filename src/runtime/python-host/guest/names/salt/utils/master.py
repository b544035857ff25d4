"""What the master knows of its minions."""

from salt.utils.minions import get_minion_data


class MasterPillarUtil:
    """Grains and pillar of minions as the master has kept them."""

    def __init__(self, tgt="", tgt_type="glob", saltenv=None, use_cached_grains=True, use_cached_pillar=True, grains_fallback=True, pillar_fallback=True, opts=None):
        from salt._seen import seen

        self.opts = opts if opts is not None else seen("__opts__", {})
        self.tgt, self.tgt_type = tgt, tgt_type

    def get_minion_grains(self):
        return {minion: get_minion_data(minion, self.opts)[1] or {} for minion in self._minions()}

    def get_minion_pillar(self):
        return {minion: get_minion_data(minion, self.opts)[2] or {} for minion in self._minions()}

    def get_cached_mine_data(self):
        return self._asked("cache.mine")

    def _minions(self):
        return sorted(self._asked("cache.grains"))

    def _asked(self, function):
        from salt.loader.called import Called

        return Called("salt-run", self.opts)[function](self.tgt, tgt_type=self.tgt_type) or {}
