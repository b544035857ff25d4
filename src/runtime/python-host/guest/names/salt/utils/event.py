"""Events, sent as `event.send` and `event.fire_master` do."""

from salt._seen import seen

TAGEND = "\n\n"
TAGPARTER = "/"
SALT = "salt"
TAGS = {name: name for name in ("auth", "job", "key", "minion", "syndic", "run", "wheel", "cloud", "fileserver", "queue")}
TAGS["salt"] = "salt"


def tagify(suffix="", prefix=SALT, base=SALT):
    """The parts of a tag, joined by slashes."""
    prefix = TAGS.get(prefix, prefix)
    parts = [base, prefix]
    parts += list(suffix) if isinstance(suffix, (list, tuple)) else [suffix]
    return TAGPARTER.join(str(part) for part in parts if str(part))


def get_event(node, sock_dir=None, transport=None, opts=None, listen=True, **_):
    return SaltEvent(node, sock_dir, opts=opts)


def get_master_event(opts, sock_dir, listen=True, **_):
    return SaltEvent("master", sock_dir, opts=opts)


class SaltEvent:
    """Sends events. It does not listen: reactors and engines are there for that."""

    def __init__(self, node, sock_dir=None, opts=None, **_):
        self.node = node
        self.opts = opts or {}

    def fire_event(self, data, tag, timeout=1000):
        functions = seen("__salt__")
        name = "event.send" if self.node == "master" or "event.fire" not in functions else "event.fire"
        return functions["event.send"](tag, data) if name == "event.send" else functions[name](data, tag)

    def fire_master(self, data, tag, timeout=1000):
        return seen("__salt__")["event.send"](tag, data)

    def fire_ret_load(self, load, fun_index=0):
        pass

    def get_event(self, *_, **__):
        return None

    def iter_events(self, *_, **__):
        return iter(())

    def connect_pub(self, timeout=None):
        return True

    connect_pull = connect_pub

    def destroy(self):
        pass

    subscribe = unsubscribe = lambda self, *_, **__: None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


MasterEvent = MinionEvent = LocalClientEvent = NamespacedEvent = SaltEvent
