"""`urllib.parse`."""

from urllib.parse import *  # noqa: F401,F403
from urllib.parse import splitquery, splittag, splituser, uses_fragment, uses_netloc, uses_params, uses_query, uses_relative  # noqa: F401
