"""What `salt.loader.matchers` gives: whether a target means this minion, by what options, grains and pillar say (salt/matchers, 3006.16)."""

import fnmatch
import ipaddress
import logging
import re

import salt.utils.data
import salt.utils.minions
from salt.loader.own import ByName

log = logging.getLogger(__name__)
DELIMITER = ":"
WORD = re.compile(r"(?:(?P<kind>[GPIJLNSER])(?P<delimiter>(?<=[GPIJ]).)?@)?(?P<pattern>.+)$")
KINDS = {"G": "grain", "P": "grain_pcre", "I": "pillar", "J": "pillar_pcre", "L": "list", "S": "ipcidr", "E": "pcre"}
# name, option, how values are compared
DATA = {
    "grain": ("grains", {}),
    "grain_pcre": ("grains", {"regex_match": True}),
    "pillar": ("pillar", {}),
    "pillar_pcre": ("pillar", {"regex_match": True}),
    "pillar_exact": ("pillar", {"exact_match": True}),
}


class Matchers(ByName):
    """Functions by names such as `glob_match.match`, with the options that they were asked for with."""

    names = tuple(name + "_match.match" for name in ("compound", "compound_pillar_exact", "glob", "pcre", "list", "ipcidr", "nodegroup", *DATA))

    def __init__(self, opts):
        self._opts = opts

    def make(self, full):
        name = full.partition("_match.")[0]
        if name in DATA:
            return lambda tgt, delimiter=DELIMITER, opts=None, minion_id=None: _data(name, tgt, delimiter, opts or self._opts)
        if name == "nodegroup":
            return lambda tgt, nodegroups=None, opts=None, minion_id=None: self._nodegroup(tgt, nodegroups, opts or self._opts, minion_id)
        if name.startswith("compound"):
            kinds = dict(KINDS, I="pillar_exact", J="pillar_exact") if name.endswith("exact") else KINDS
            return lambda tgt, opts=None, minion_id=None: _compound(tgt, opts or self._opts, minion_id, kinds)
        return lambda tgt, opts=None, minion_id=None: SIMPLE[name](tgt, opts or self._opts, minion_id)

    def _nodegroup(self, tgt, nodegroups, opts, minion_id):
        groups = nodegroups or opts.get("nodegroups") or {}
        return tgt in groups and _compound(salt.utils.minions.nodegroup_comp(tgt, groups), opts, minion_id, KINDS)


def _id(opts, minion_id):
    return minion_id or opts.get("id") or ""


def _glob(tgt, opts, minion_id):
    return isinstance(tgt, str) and fnmatch.fnmatch(_id(dict(opts, id=opts.get("minion_id", opts.get("id"))), minion_id), tgt)


def _pcre(tgt, opts, minion_id):
    return bool(re.match(tgt, _id(opts, minion_id)))


def _list(tgt, opts, minion_id):
    names = tgt.split(",") if isinstance(tgt, str) else tgt
    return hasattr(names, "__contains__") and _id(opts, minion_id) in names


def _ipcidr(tgt, opts, minion_id):
    try:
        wanted = ipaddress.ip_network(tgt)
    except ValueError:
        log.error("Invalid IP/CIDR target: %s", tgt)
        return []
    addresses = opts.get("grains", {}).get("ipv{}".format(wanted.version), [])
    return any(ipaddress.ip_address(one) in wanted for one in addresses)


SIMPLE = {"glob": _glob, "pcre": _pcre, "list": _list, "ipcidr": _ipcidr}


def _data(name, tgt, delimiter, opts):
    option, how = DATA[name]
    if delimiter not in tgt:
        log.error("Got insufficient arguments for %s match statement from master", name.partition("_")[0])
        return False
    return salt.utils.data.subdict_match(opts.get(option, opts.get("ext_pillar", {})), tgt, delimiter=delimiter, **how)


def _compound(tgt, opts, minion_id, kinds):
    if not isinstance(tgt, (str, list, tuple)):
        log.error("Compound target received that is neither string, list nor tuple")
        return False
    words = tgt.split() if isinstance(tgt, str) else list(tgt)
    found = []
    while words:
        word = words.pop(0)
        if word in ("and", "or", "not", "(", ")"):
            if (word not in ("(", "not")) if not found else (found[-1] == "(" and word in ("and", "or")):
                log.error("Invalid beginning operator: %s", word)
                return False
            if word == "not" and found and found[-1] not in ("and", "or", "("):
                found.append("and")
            found.append(word)
            continue
        kind, delimiter, pattern = WORD.match(word).group("kind", "delimiter", "pattern")
        if kind == "N":
            words = list(salt.utils.minions.nodegroup_comp(pattern, opts.get("nodegroups") or {})) + words
        elif kind is None:
            found.append(_glob(word, opts, minion_id))
        elif kind not in kinds:
            log.error('Unrecognized target engine "%s" for target expression "%s"', kind, word)
            return False
        elif kinds[kind] in DATA:
            found.append(_data(kinds[kind], pattern, delimiter or DELIMITER, opts))
        else:
            found.append(SIMPLE[kinds[kind]](pattern, opts, minion_id))
    try:
        value = _either(found)
        if found:
            raise ValueError(found)
        return value
    except (IndexError, ValueError):
        log.error("Invalid compound target: %s", tgt)
        return False


def _either(words):
    value = _both(words)
    while words and words[0] == "or":
        words.pop(0)
        other = _both(words)
        value = value or other
    return value


def _both(words):
    value = _one(words)
    while words and words[0] == "and":
        words.pop(0)
        other = _one(words)
        value = value and other
    return value


def _one(words):
    word = words.pop(0)
    if word == "not":
        return not _one(words)
    if word == "(":
        value = _either(words)
        if words.pop(0) != ")":
            raise ValueError("a parenthesis is open")
        return value
    if isinstance(word, str):
        raise ValueError(word)
    return word
