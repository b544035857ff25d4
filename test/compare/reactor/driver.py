# Has a real Salt's reactor take the events of the cases, and records what it would send, call and log.
# Its clients are the real ones, up to the request that a publication is, and to the call that the pool would make.
import copy
import json
import logging
import os
import sys

import salt.channel.client
import salt.client
import salt.config
import salt.utils.event
import salt.utils.master
import salt.utils.process
import salt.utils.reactor as reactor

folder = sys.argv[1]
done = []


class Channel:
    def send(self, load, **_):
        done.append(["local", {key: load[key] for key in load if key != "key"}])
        return {"load": {"jid": "1", "minions": ["web"]}}

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Pool:
    def __init__(self, *_, **__):
        pass

    def fire_async(self, func, args):
        done.append([func.__self__.client, {"fun": args[0], "arg": list(args[1]["arg"]), "kwarg": args[1]["kwarg"]}])
        return True


class Caller:
    def __init__(self, *_):
        pass

    def cmd(self, fun, *arg, **kwarg):
        done.append(["caller", {"fun": fun, "arg": list(arg), "kwarg": kwarg}])


class Bus:
    def __init__(self, events):
        self.events = events

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def iter_events(self, **_):
        for tag, data in self.events:
            done.append(["event", tag])
            yield {"tag": tag, "data": copy.deepcopy(data)}

    def fire_event(self, data, tag):
        done.append(["fired", {"tag": tag, "data": copy.deepcopy(data)}])


class Log(logging.Handler):
    def emit(self, record):
        text = record.getMessage()
        if record.exc_info:
            text += " | {}: {}".format(record.exc_info[0].__name__, record.exc_info[1])
        if record.name in ("salt.utils.reactor", "salt.state"):
            done.append(["log", [record.levelname.lower(), text]])


logging.getLogger().addHandler(Log(level=logging.WARNING))
salt.channel.client.ReqChannel.factory = staticmethod(lambda *_, **__: Channel())
salt.utils.process.ThreadPool = Pool
salt.utils.master.get_master_key = lambda *_: "KEY"
reactor.ReactWrap.reaction_class = dict(reactor.ReactWrap.reaction_class, caller=Caller)
real_bus = salt.utils.event.get_event

with open(os.path.join(folder, "cases.json")) as file:
    cases = json.load(file)
with open(os.path.join(folder, "outcomes.json"), "w") as out:
    for case in cases:
        for name, text in case["files"].items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        done = []
        if case["on"] == "minion":
            opts = salt.config.minion_config(os.path.join(folder, "minion"))
            opts["grains"] = {}
        else:
            opts = salt.config.master_config(os.path.join(folder, "master"))
        opts["reactor"] = case["reactor"]
        bus = Bus(case["events"])
        salt.utils.event.get_event = lambda *args, **kwargs: bus if kwargs.get("listen") else real_bus(*args, **kwargs)
        reactor.ReactWrap.client_cache = None
        try:
            reactor.Reactor.run(reactor.Reactor(opts))
        except Exception as error:  # the process would die of it
            done.append(["died", "{}: {}".format(type(error).__name__, error)])
        out.write(json.dumps(done, default=str) + "\n")
        for name in case["files"]:
            os.unlink(os.path.join(folder, name))
