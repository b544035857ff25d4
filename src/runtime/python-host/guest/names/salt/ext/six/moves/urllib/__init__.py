"""`urllib` in the parts that it has today."""

from . import error, parse, request, response, robotparser  # noqa: F401
