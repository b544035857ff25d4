"""Modules of the standard library under the names of old."""

import configparser  # noqa: F401
import importlib.metadata as importlib_metadata  # noqa: F401
import ipaddress  # noqa: F401
import xml.etree.ElementTree as ElementTree  # noqa: F401
from ipaddress import ip_address, ip_network, ip_interface  # noqa: F401

text_type, string_types = str, (str,)
