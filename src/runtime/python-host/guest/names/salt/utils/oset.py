"""Sets that keep the order in which they were filled."""

from collections.abc import MutableSet


class OrderedSet(MutableSet):
    """A set with places: `items[0]`, slices, `index`."""

    def __init__(self, iterable=None):
        self.map = {}
        if iterable is not None:
            self |= iterable

    @property
    def items(self):
        return list(self.map)

    def __len__(self):
        return len(self.map)

    def __iter__(self):
        return iter(self.map)

    def __reversed__(self):
        return reversed(self.items)

    def __contains__(self, key):
        return key in self.map

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self if index == slice(None) else OrderedSet(self.items[index])
        return self.items[index] if hasattr(index, "__index__") else OrderedSet(self.items[one] for one in index)

    def copy(self):
        return OrderedSet(self)

    def add(self, key):
        """Adds an item unless it is there. Returns its place."""
        self.map.setdefault(key, None)
        return self.index(key)

    append = add

    def update(self, sequence):
        """Adds items. Returns the place of the last."""
        try:
            places = [self.add(item) for item in sequence]
        except TypeError:
            raise ValueError("Argument needs to be an iterable, got {}".format(type(sequence))) from None
        return places[-1] if places else None

    def index(self, key):
        """The place of an item, or of several. Raises KeyError for what is not there."""
        if hasattr(key, "__iter__") and not isinstance(key, (str, tuple)):
            return [self.index(one) for one in key]
        if key not in self.map:
            raise KeyError(key)
        return self.items.index(key)

    def pop(self):
        """Removes the last item and returns it. Raises KeyError when there is none."""
        if not self.map:
            raise KeyError("Set is empty")
        return self.map.popitem()[0]

    def discard(self, key):
        self.map.pop(key, None)

    def clear(self):
        self.map.clear()

    def __repr__(self):
        return "OrderedSet({})".format(self.items or "")

    def __eq__(self, other):
        if isinstance(other, OrderedSet):
            return self.items == other.items
        try:
            return set(self) == set(other)
        except TypeError:
            return False
