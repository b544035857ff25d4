"""Addresses."""

import ipaddress
import re

MAC = re.compile(r"^([0-9A-F]{1,2}[:-]){5}([0-9A-F]{1,2})$", re.I)


def mac(addr):
    return MAC.match(addr) is not None


def ipv4_addr(addr):
    return _address(addr, ipaddress.IPv4Interface, 32)


def ipv6_addr(addr):
    return _address(addr, ipaddress.IPv6Interface, 128)


def ip_addr(addr):
    return ipv4_addr(addr) or ipv6_addr(addr)


def netmask(mask):
    """Whether a text is a mask of ones and then zeros."""
    parts = str(mask).split(".")
    if len(parts) != 4 or not all(part.isdigit() and int(part) < 256 for part in parts):
        return False
    bits = "".join("{:08b}".format(int(part)) for part in parts)
    return "01" not in bits


def _address(text, kind, most):
    if not isinstance(text, str) or text == "":
        return False
    address, slash, length = text.partition("/")
    if slash and not (length.isdigit() and int(length) <= most):
        return False
    try:
        kind(address)
        return True
    except ValueError:
        return False
