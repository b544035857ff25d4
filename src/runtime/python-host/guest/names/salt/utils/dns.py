"""The resolver of this machine."""

import ipaddress


def parse_resolv(src="/etc/resolv.conf"):
    """Nameservers, search list, options and sort list of a file."""
    found = {"nameservers": [], "ip4_nameservers": [], "ip6_nameservers": [], "search": [], "sortlist": [], "options": [], "domain": ""}
    try:
        with open(src, encoding="utf-8", errors="replace") as handle:
            lines = handle.read().splitlines()
    except OSError:
        return {}
    for line in lines:
        words = line.split("#")[0].split(";")[0].split()
        if len(words) < 2:
            continue
        word, given = words[0].lower(), words[1:]
        if word == "nameserver":
            _nameserver(found, given[0])
        elif word == "domain":
            found["domain"] = given[0]
        elif word == "search":
            found["search"] = given
        elif word == "sortlist":
            found["sortlist"] = given
        elif word == "options":
            found["options"] += [option for option in given if option not in found["options"]]
    if found["domain"] and not found["search"]:
        found["search"] = [found["domain"]]
    return found


def _nameserver(found, text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return
    if text not in found["nameservers"]:
        found["nameservers"].append(text)
        found["ip{}_nameservers".format(address.version)].append(text)
