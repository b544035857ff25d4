"""States as objects of Python."""

from brine_guest.pyobjects import (
    DuplicateState,
    InvalidFunction,
    Map,
    State,
    StateException,
    StateExtend,
    StateFactory,
    StateRequisite,
)
