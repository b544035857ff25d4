"""The master's keys."""

from salt.wheel import WheelClient


def get_key(opts):
    return Key(opts)


class Key:
    """Lists and decides about keys, through the wheel functions."""

    def __init__(self, opts, io_loop=None):
        self.opts = opts
        self._wheel = WheelClient(opts)

    def list_keys(self):
        return self._wheel.cmd("key.list_all")

    all_keys = list_keys

    def list_status(self, match):
        return self._wheel.cmd("key.list", [match])

    def finger(self, match, hash_type=None):
        return self._wheel.cmd("key.finger", [match])

    def accept(self, match=None, match_dict=None, include_rejected=False, include_denied=False):
        return self._wheel.cmd("key.accept", [match])

    def reject(self, match=None, match_dict=None, include_accepted=False, include_denied=False):
        return self._wheel.cmd("key.reject", [match])

    def delete_key(self, match=None, match_dict=None, preserve_minions=None, revoke_auth=False):
        return self._wheel.cmd("key.delete", [match])
