"""A language of chained calls for states."""

from brine_guest.pydsl import PyDslError, Sls, StateDeclaration, StateFunction, StateModule
