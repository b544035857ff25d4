"""Arguments for functions of which nothing is known but the names of their parameters."""

import json

# before anything is called
SYNC = [
    {"program": "salt-call", "words": ["saltutil.sync_all"]},
    {"program": "salt-run", "words": ["saltutil.sync_all"]},
]
FITTING = (
    (("path", "file", "filename", "fname", "source", "src", "config_file", "filepath", "file_path", "fn"), "/tmp/brine/file"),
    (("dest", "target", "dst", "directory", "dir", "destination", "folder", "root"), "/tmp/brine/made"),
    (("port", "count", "size", "timeout", "n", "num", "number", "length", "retries", "index"), 3),
    (("data", "config", "params", "settings", "options", "opts", "conf", "spec", "body", "dic", "dict", "d", "mapping", "pillar"), {"alpha": 1, "beta": ["x", "y"]}),
    (("names", "items", "list", "hosts", "ports", "nodes", "minions", "values", "keys", "packages", "pkgs", "lst", "l"), ["alpha", "beta"]),
    (("enabled", "force", "flag", "value_bool"), True),
    (("ip", "address", "addr", "ip_address", "host_ip"), "10.1.2.3"),
    (("network", "cidr", "subnet", "net", "prefix"), "10.1.2.0/24"),
    (("url", "uri", "endpoint"), "http://127.0.0.1:9/x"),
    (("version", "ver", "release"), "1.2.3"),
    (("fqdn", "domain", "hostname", "host", "zone"), "web01.example.org"),
    (("cmd", "command"), "echo alpha"),
    (("user", "username", "owner"), "root"),
    (("tgt", "pattern", "minion", "minion_id"), "*"),
)
# what might end the sandbox or wait for ever
LEFT_OUT = ("reboot", "shutdown", "poweroff", "restart_salt", "zypper_", "kill_all", "halt")


def fitting(name):
    for names, value in FITTING:
        if name.lower() in names:
            return value
    for names, value in FITTING:
        if any(len(one) > 2 and name.lower().endswith("_" + one) for one in names):
            return value
    return "alpha"


def word(value):
    return value if isinstance(value, str) else json.dumps(value)


def lists(params):
    """Lists of keyword arguments to try. `params` is [[name, whether it has a default]…]."""
    wanted = [name for name, has_default in params if not has_default]
    fit = {name: fitting(name) for name in wanted}
    yield fit
    plain = {name: "alpha" for name in wanted}
    if plain != fit:
        yield plain
    further = [name for name, has_default in params if has_default][:2]
    if further and wanted == []:
        yield {name: fitting(name) for name in further[:1]}


def first(params):
    return next(lists(params))


def words(fun, kwargs):
    return [fun, *("{}={}".format(name, word(value)) for name, value in kwargs.items())]
