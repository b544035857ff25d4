"""Addresses."""

import ipaddress
import socket


def _is(kind, text):
    try:
        kind(text)
        return True
    except (ValueError, TypeError):
        return False


def is_ip(ip_addr):
    return is_ipv4(ip_addr) or is_ipv6(ip_addr)


def is_ipv4(ip_addr):
    return _is(ipaddress.IPv4Address, ip_addr)


def is_ipv6(ip_addr):
    return _is(ipaddress.IPv6Address, ip_addr)


def is_subnet(cidr):
    return is_ipv4_subnet(cidr) or is_ipv6_subnet(cidr)


def is_ipv4_subnet(cidr):
    return "/" in str(cidr) and _is(ipaddress.IPv4Network, cidr)


def is_ipv6_subnet(cidr):
    return "/" in str(cidr) and _is(ipaddress.IPv6Network, cidr)


def is_loopback(ip_addr):
    return ipaddress.ip_address(ip_addr).is_loopback


def in_subnet(cidr, addr=None):
    """Whether an address, or one of several, is in a network."""
    addresses = addr if isinstance(addr, (list, tuple)) else [addr]
    network = ipaddress.ip_network(cidr, strict=False)
    return any(ipaddress.ip_address(one) in network for one in addresses)


def host_to_ips(host):
    """The addresses of a name, or None."""
    try:
        return [found[4][0] for found in socket.getaddrinfo(host, 0, socket.AF_UNSPEC, socket.SOCK_STREAM)]
    except socket.gaierror:
        return None


def get_fqhostname():
    return socket.getfqdn()
