"""What a real Salt makes of the kinds that no job calls: beacons, engines, sources of top data, log-ins, reactor files, orchestration.

Each function has the folder of the site and the words of a case, and gives what is recorded.
"""

import json
import logging
import os
import types

import yaml


def master_opts(root):
    import salt.config
    import salt.loader

    opts = salt.config.master_config(os.path.join(root, "master"))
    opts["grains"] = salt.loader.grains(opts)
    return opts


def named(words):
    """The first word, and the data behind it."""
    name, _, rest = words.partition(" ")
    return name, yaml.safe_load(rest) if rest else {}


def beacon(minion, root, words):
    """`LOOKS CONFIG`: the events of so many looks, and why beacons that are configured are not used."""
    import salt.beacons
    import salt.loader

    looks, config = named(words)
    beacons = salt.beacons.Beacon(dict(minion.opts, beacons=config), salt.loader.minion_mods(minion.opts))
    refused = []

    class Refusals(logging.Handler):
        def emit(self, record):
            text = record.getMessage()
            if "configuration invalid" in text or "must be a list" in text:
                refused.append(text.split("\n")[-1])

    logging.getLogger("salt.beacons").addHandler(Refusals(logging.ERROR))
    events = [beacons.process(config, minion.opts["grains"]) for _ in range(int(looks))]
    return {"refused": refused, "looks": events}


def engine(minion, root, words):
    """`NAME OPTIONS`: the events that `start` fires, and what it raises; None for one that is not there."""
    import salt.loader
    import salt.utils.event

    name, options = named(words)
    events = []
    salt.utils.event.SaltEvent.connect_pull = lambda *_, **__: True
    salt.utils.event.SaltEvent.fire_event = lambda self, data, tag, *_: events.append([tag, data]) or True
    opts = minion.opts
    utils = salt.loader.utils(opts)
    engines = salt.loader.engines(opts, salt.loader.minion_mods(opts, utils=utils), [], utils)
    if name + ".start" not in engines:
        return None
    raised = None
    try:
        engines[name + ".start"](**options)
    except Exception as error:
        raised = "{}: {}".format(type(error).__name__, error)
    return {"events": events, "raised": raised}


def tops(minion, root, words):
    """`ID SETTINGS`, with `master_tops` and the `grains` of a minion: what the sources assign to it."""
    import salt.daemons.masterapi
    import salt.loader

    name, settings = named(words)
    opts = dict(master_opts(root), master_tops=settings["master_tops"])
    load = {"id": name, "opts": {"id": name, "grains": settings["grains"]}}
    asked = types.SimpleNamespace(opts=opts, tops=salt.loader.tops(opts))
    return salt.daemons.masterapi.RemoteFuncs._master_tops(asked, load, skip_verify=True)


def auth(minion, root, words):
    """`SYSTEM {username, password}`: whether he may log in, his groups and his rules."""
    import salt.auth

    name, given = named(words)
    system = salt.auth.LoadAuth(master_opts(root))
    load = dict(given, eauth=name)
    return {
        "auth": bool(system._LoadAuth__auth_call(load)),
        "groups": answered(system.get_groups, load) or [],
        "acl": system._LoadAuth__get_acl(load),
    }


def answered(ask, load):
    """What a log-in goes on with; what it ends with."""
    try:
        return ask(load)
    except Exception as error:
        return "{}: {}".format(type(error).__name__, error)


def reactor(minion, root, words):
    """`FILE {tag, data}`: the low chunks of the reactions to an event."""
    import salt.utils.reactor

    name, event = named(words)
    asked = salt.utils.reactor.Reactor(dict(master_opts(root), reactor=[]))
    return asked.reactions(event["tag"], event["data"], [os.path.join(root, "srv", "react", name + ".sls")])


KINDS = {"beacon": beacon, "engine": engine, "tops": tops, "auth": auth, "reactor": reactor}
TIMED = ("duration", "start_time", "__jid__", "jid", "_stamp")


def untimed(value):
    """Without what is another each time."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in TIMED}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def orchestration(answer):
    """What `salt-run --out json` has shown, without times."""
    try:
        shown = untimed(json.loads(answer["stdout"]))
    except ValueError:
        shown = answer["stdout"]
    return {"code": answer["code"], "shown": shown}
