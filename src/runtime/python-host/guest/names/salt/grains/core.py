"""Grains that the machine itself gives, each from those that are known."""

from salt._seen import seen

PARTS = {"hostname": ("fqdn", "domain", "host", "localhost"), "os_data": None, "fqdns": ("fqdns",), "ip4": ("ipv4",), "ip6": ("ipv6",)}
PARTS.update({"id_": ("id",), "path": ("path",), "pythonversion": ("pythonversion",), "saltversion": ("saltversion",), "hwaddr_interfaces": ("hwaddr_interfaces",)})
PARTS.update({"ip_interfaces": ("ip_interfaces",), "get_machine_id": ("machine_id",), "shell": ("shell",), "get_server_id": ("server_id",)})


def __getattr__(name):
    if name not in PARTS:
        raise AttributeError("salt.grains.core has no '{}' here".format(name))

    def ask(*_, **__):
        grains = seen("__grains__", {})
        names = PARTS[name]
        return dict(grains) if names is None else {key: grains[key] for key in names if key in grains}

    return ask
