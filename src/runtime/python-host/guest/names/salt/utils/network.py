"""Addresses."""

import ipaddress
import json
import re
import socket
import subprocess


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
    try:
        return ipaddress.ip_address(ip_addr).is_loopback
    except ValueError:
        return False


def in_subnet(cidr, addr=None):
    """Whether an address, or one of several, is in a network."""
    addresses = ip_addrs() + ip_addrs6() if addr is None else addr if isinstance(addr, (list, tuple)) else [addr]
    try:
        network = ipaddress.ip_network(cidr)
    except ValueError:
        return False
    return any(ipaddress.ip_address(one) in network for one in addresses)


def host_to_ips(host):
    """The addresses of a name, or None."""
    try:
        return [found[4][0] for found in socket.getaddrinfo(host, 0, socket.AF_UNSPEC, socket.SOCK_STREAM)]
    except (OSError, TypeError):
        return None


def get_fqhostname():
    """The full name of this machine, as the resolver has it."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), 0, socket.AF_UNSPEC, socket.SOCK_STREAM, socket.SOL_TCP, socket.AI_CANONNAME)
    except socket.gaierror:
        found = []
    named = [one[3] for one in found if one[3]]
    return named[-1] if named else socket.getfqdn() or None


def get_hostname():
    return socket.gethostname()


def generate_minion_id():
    """A name for this machine: its full host name, else its host name."""
    name = socket.getfqdn()
    return name if name and not name.startswith("localhost") else socket.gethostname() or "localhost"


def host_to_ip(host):
    """The first address of a name, or None."""
    found = host_to_ips(host)
    return found[0] if found else None


def dns_check(addr, port=0, safe=False, ipv6=None, attempt_connect=None):
    """The address of a name. Raises SaltClientError when it has none."""
    from salt.exceptions import SaltClientError

    found = host_to_ips(addr) or []
    wanted = [one for one in found if ipv6 is None or (":" in one) == ipv6]
    if not wanted:
        raise SaltClientError("DNS lookup or connection check of '{}' failed.".format(addr))
    return ip_bracket(wanted[0])


def ip_bracket(addr, strip=False):
    """An address of version 6 in brackets, others as they are."""
    bare = ipaddress.ip_address(str(addr).lstrip("[").rstrip("]"))
    return "[{}]".format(bare) if bare.version == 6 and not strip else str(bare)


def interfaces():
    """The interfaces with their addresses: `up`, `hwaddr`, `inet`, `inet6`."""
    try:
        printed = subprocess.run(["ip", "-json", "addr"], stdout=subprocess.PIPE, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {link["ifname"]: _interface(link) for link in json.loads(printed or b"[]") if "ifname" in link}


def _interface(link):
    found = {"up": "UP" in link.get("flags", [])}
    if "address" in link:
        found["hwaddr"] = link["address"]
    for address in link.get("addr_info", []):
        length = address.get("prefixlen", 0)
        if address.get("family") == "inet":
            mask = str(ipaddress.ip_network("0.0.0.0/{}".format(length)).netmask)
            one = {"address": address["local"], "netmask": mask, "broadcast": address.get("broadcast"), "label": address.get("label", link["ifname"])}
            found.setdefault("inet", []).append(one)
        elif address.get("family") == "inet6":
            one = {"address": address["local"], "prefixlen": str(length), "scope": address.get("scope", "")}
            found.setdefault("inet6", []).append(one)
    return found


_get_interfaces = interfaces


def _clear_interfaces():
    pass


def hw_addr(iface):
    """The hardware address of an interface, or what is wrong with the name."""
    return _of_interface(iface, lambda found: found.get("hwaddr", ""))


def _of_interface(iface, ask):
    """Something of an interface; of one that is not there, a sentence."""
    known = interfaces()
    return ask(known[iface]) if iface in known else 'Interface "{}" not in available interfaces: "{}"'.format(iface, '", "'.join(known))


def interface(iface):
    """The addresses of version 4 of an interface, or what is wrong with the name."""
    return _of_interface(iface, lambda found: found.get("inet", ""))


def interface_ip(iface):
    return _of_interface(iface, lambda found: next((one["address"] for one in found.get("inet", [])), ""))


def _addresses(family, name, loopback, chosen, kind):
    found = chosen if chosen is not None else interfaces()
    names = [name] if isinstance(name, str) else name
    out = []
    for link, one in found.items():
        if names is not None and link not in names:
            continue
        out += [address["address"] for address in one.get(family, []) if loopback or not kind(address["address"]).is_loopback]
    return sorted(set(out), key=kind)


def ip_addrs(interface=None, include_loopback=False, interface_data=None):
    """The addresses of version 4 of this machine, or of interfaces."""
    return _addresses("inet", interface, include_loopback, interface_data, ipaddress.IPv4Address)


def ip_addrs6(interface=None, include_loopback=False, interface_data=None):
    return _addresses("inet6", interface, include_loopback, interface_data, ipaddress.IPv6Address)


def ip4_addrs(*args, **kwargs):
    return ip_addrs(*args, **kwargs)


def subnets(interfaces=None):
    """The networks of this machine."""
    found = interfaces if isinstance(interfaces, dict) else globals()["interfaces"]()
    out = []
    for one in found.values():
        for address in one.get("inet", []):
            network = str(ipaddress.ip_network("{address}/{netmask}".format(**address), strict=False))
            if not address["address"].startswith("127.") and network not in out:
                out.append(network)
    return out


def calc_net(ip_addr, netmask=None):
    """The network of an address and its mask."""
    return str(ipaddress.ip_network(ip_addr if netmask is None else "{}/{}".format(ip_addr, netmask), strict=False))


def cidr_to_ipv4_netmask(cidr_bits):
    """The mask of so many bits; an empty text of what is no number of bits."""
    try:
        return str(ipaddress.ip_network("0.0.0.0/{}".format(int(cidr_bits))).netmask) if int(cidr_bits) > 0 else ""
    except (ValueError, TypeError):
        return ""


def get_net_start(ipaddr, netmask):
    return str(ipaddress.ip_network("{}/{}".format(ipaddr, netmask), strict=False).network_address)


def get_net_size(mask):
    """How many bits of a mask are ones."""
    return sum(bin(int(part)).count("1") for part in mask.split("."))


def gen_mac(prefix="AC:DE:48"):
    """A hardware address by chance, below a prefix."""
    import random

    return "{}:{:02X}:{:02X}:{:02X}".format(prefix, *(random.randint(0, 255) for _ in range(3)))


def mac_str_to_bytes(mac_str):
    """The six bytes of a hardware address."""
    bare = mac_str if len(mac_str) == 12 else mac_str.replace(mac_str[2], "")
    return bytes.fromhex(bare)


def refresh_dns():
    pass


def is_reachable_host(entity_name):
    return host_to_ips(entity_name) is not None


def parse_host_port(host_port):
    """Host and port of `host:port` or `[address]:port`."""
    if host_port.startswith("["):
        host, _, rest = host_port[1:].partition("]")
        return host, int(rest[1:]) if rest.startswith(":") else None
    host, colon, port = host_port.partition(":")
    if colon and ":" not in port:
        return host, int(port)
    return host_port, None


def filter_by_networks(values, networks):
    """The addresses that are in one of the networks."""
    chosen = [ipaddress.ip_network(network) for network in networks or []]
    if networks is None:
        return values

    def within(value):
        return any(ipaddress.ip_address(value) in network for network in chosen)

    if isinstance(values, dict):
        return {name: filter_by_networks(value, networks) for name, value in values.items()}
    return [value for value in values if within(value)]


def get_socket(addr, type=socket.SOCK_STREAM, proto=0):
    family = socket.AF_INET6 if ":" in str(addr) else socket.AF_INET
    return socket.socket(family, type, proto)


def is_ip_filter(ip_addr, options=None):
    return is_ipv4_filter(ip_addr, options) or is_ipv6_filter(ip_addr, options)


def is_ipv4_filter(ip_addr, options=None):
    return _fits(ip_addr, 4, options)


def is_ipv6_filter(ip_addr, options=None):
    return _fits(ip_addr, 6, options)


def _fits(value, version, options):
    """Whether a text is an address of this version, with a length or without, of one of the kinds that are named."""
    try:
        address = ipaddress.ip_interface(value).ip
    except (ValueError, TypeError):
        return False
    kinds = [kind.strip() for kind in options.split(",")] if isinstance(options, str) else []
    return address.version == version and (not kinds or any(_is_kind(address, kind) for kind in kinds))


KINDS_OF_ADDRESSES = ("global", "link_local", "loopback", "multicast", "private", "reserved", "site_local", "unspecified")


def _is_kind(address, kind):
    if kind in ("gl", "ll", "lo", "my", "mc", "pr", "re", "sl", "un"):
        kind = {"gl": "global", "ll": "link_local", "lo": "loopback", "my": "loopback", "mc": "multicast", "pr": "private", "re": "reserved", "sl": "site_local", "un": "unspecified"}[kind]
    name = kind.replace("-", "_")
    return name in KINDS_OF_ADDRESSES and getattr(address, "is_" + name, False)


def ip_to_host(ip):
    """The name of an address, or None."""
    try:
        return socket.gethostbyaddr(ip)[0]
    except (OSError, TypeError):
        return None


def sanitize_host(host):
    """A name without what names of hosts do not have."""
    return "".join(char for char in host[:255] if char.isascii() and (char.isalnum() or char in ".-_"))


def isportopen(host, port):
    """0 where somebody listens there, else the number of the error; False for what is no port."""
    if not 1 <= int(port) <= 65535:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        return tried.connect_ex((sanitize_host(host), int(port)))


def subnets6(interfaces=None):
    """The networks of version 6 of this machine."""
    found = interfaces if isinstance(interfaces, dict) else globals()["interfaces"]()
    addresses = [one for link in found.values() for one in link.get("inet6", [])]
    networks = [ipaddress.ip_network("{address}/{prefixlen}".format(**one), strict=False) for one in addresses]
    return [str(one) for one in sorted({one for one in networks if not one.is_loopback})]


def ip_networks(interface=None, include_loopback=False, verbose=False, interface_data=None):
    """The networks that the interfaces are in; `verbose` tells more of each."""
    return _networks("inet", interface, include_loopback, verbose, interface_data)


def ip_networks6(interface=None, include_loopback=False, verbose=False, interface_data=None):
    return _networks("inet6", interface, include_loopback, verbose, interface_data)


def _networks(family, name, loopback, verbose, chosen):
    found = set()
    for link, one in (chosen if isinstance(chosen, dict) else interfaces()).items():
        if name is not None and link not in ([name] if isinstance(name, str) else name):
            continue
        for address in one.get(family, []):
            length = address.get("netmask" if family == "inet" else "prefixlen")
            network = ipaddress.ip_network("{}/{}".format(address["address"], length), strict=False)
            if loopback or not network.is_loopback:
                found.add(network)
    if not verbose:
        return [str(one) for one in sorted(found)]
    return {
        str(one): {"address": str(one.network_address), "netmask": str(one.netmask), "num_addresses": one.num_addresses, "prefixlen": one.prefixlen}
        for one in found
    }


def network_hosts(value, options=None, version=None):
    """All addresses of a network that hosts can have; None of what is none."""
    return [str(host) for host in ipaddress.ip_network(value, strict=False).hosts()] if _is(_interface_of, value) else None


def network_size(value, options=None, version=None):
    return ipaddress.ip_network(value, strict=False).num_addresses if _is(_interface_of, value) else None


def _interface_of(value):
    """Raises TypeError for what is no text: a number would be an address."""
    if not isinstance(value, str):
        raise TypeError(value)
    return ipaddress.ip_interface(value)


def natural_ipv4_netmask(ip_addr, fmt="prefixlen"):
    """The length of the class that an address is of."""
    first = int(ip_addr.split(".")[0])
    length = 24 if first >= 192 else 16 if first >= 128 else 8
    return cidr_to_ipv4_netmask(length) if fmt == "netmask" else "/{}".format(length)


def rpad_ipv4_network(ip_addr):
    """The beginning of an address with noughts behind it."""
    return ".".join((ip_addr.split(".") + ["0"] * 4)[:4])


def mac2eui64(mac, prefix=None):
    """The address that a machine with this hardware address gives itself; without a network the part behind it."""
    bare = re.sub(r"[.:-]", "", mac).lower()
    number = "{:02x}{}fffe{}".format(int(bare[:2], 16) | 2, bare[2:6], bare[6:])
    if prefix is None:
        return ":".join(re.findall(r".{4}", number))
    try:
        network = ipaddress.ip_network(prefix, strict=False)
        return "{}/{}".format(network[int(number, 16)], network.prefixlen)
    except (ValueError, IndexError):
        return None


def hex2ip(hex_ip, invert=False):
    """An address as `/proc/net` writes it; what is none comes back as it is."""
    try:
        packed = bytes.fromhex(hex_ip)
        if len(packed) == 16:
            words = [packed[at : at + 4][:: -1 if invert else 1] for at in range(0, 16, 4)]
            address = ipaddress.IPv6Address(b"".join(words))
            return str(address.ipv4_mapped or address.compressed)
        return str(ipaddress.IPv4Address(packed[:: -1 if invert else 1]))
    except (ValueError, TypeError):
        return hex_ip
