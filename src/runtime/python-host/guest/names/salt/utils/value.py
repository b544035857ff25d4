"""Truth of several values."""


def xor(*variables):
    """Whether an odd number of them is true."""
    return sum(map(bool, variables)) % 2 == 1
