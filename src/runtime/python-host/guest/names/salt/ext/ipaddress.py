"""Python's own library under the name that Salt had it by."""

from ipaddress import *  # noqa: F401,F403
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network  # noqa: F401
from ipaddress import NetmaskValueError, ip_address, ip_interface, ip_network  # noqa: F401
