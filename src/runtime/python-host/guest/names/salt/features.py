"""Switches of the option `features`."""

from salt._seen import seen


class Features:
    """What the options of the module that asks say."""

    def setup_features(self, opts):
        """Nothing is to be prepared."""

    def get(self, key, default=None):
        return (seen("__opts__", {}).get("features") or {}).get(key, default)


features = Features()
setup_features = features.setup_features
