"""What differs between lists of mappings."""

from salt.utils.dictdiffer import recursive_diff


def list_diff(list_a, list_b, key):
    """The differences of two lists of mappings, of which `key` tells which belong together."""
    return ListDictDiffer(list_a, list_b, key)


class ListDictDiffer:
    """Pairs of mappings, and what differs in them."""

    def __init__(self, current_list, next_list, key):
        old = {item[key]: item for item in current_list}
        new = {item[key]: item for item in next_list}
        self.added = [item for name, item in new.items() if name not in old]
        self.removed = [item for name, item in old.items() if name not in new]
        self.intersect = [{"key": name, "old": old[name], "new": new[name]} for name in old if name in new]

    @property
    def diffs(self):
        return [recursive_diff(pair["old"], pair["new"]).diffs for pair in self.intersect if pair["old"] != pair["new"]]
