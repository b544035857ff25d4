"""Data as text, and back."""

from salt.exceptions import SaltException


class SerializationError(SaltException, RuntimeError):
    """Data cannot be written."""


class DeserializationError(SaltException, RuntimeError):
    """A text cannot be read."""
