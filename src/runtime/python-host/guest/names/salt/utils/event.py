"""Events: fired on the bus of this machine's master or minion, and read from it."""

import datetime
import fnmatch
import re
import time

from salt._bus import Subscriber, connected, frame, places
from salt._seen import seen

TAGEND = "\n\n"
TAGPARTER = "/"
SALT = "salt"
TAGS = {name: name for name in ("auth", "job", "key", "minion", "syndic", "run", "wheel", "cloud", "fileserver", "queue")}


def tagify(suffix="", prefix="", base=SALT):
    """The parts of a tag, joined by slashes."""
    parts = [base, TAGS.get(prefix, prefix)]
    parts += list(suffix) if hasattr(suffix, "append") else [suffix]
    return TAGPARTER.join(str(part) for part in parts if str(part))


def get_event(node, sock_dir=None, transport=None, opts=None, listen=True, io_loop=None, keep_loop=False, raise_errors=False):
    if node == "master":
        return MasterEvent(sock_dir, opts, listen, io_loop, keep_loop, raise_errors)
    return SaltEvent(node, sock_dir, opts, listen, io_loop, keep_loop, raise_errors)


def get_master_event(opts, sock_dir, listen=True, io_loop=None, raise_errors=False):
    return MasterEvent(sock_dir, opts, listen, io_loop, False, raise_errors)


class SaltEvent:
    """The bus of a node, `master` or `minion`. Events are read in order; `io_loop` has no meaning here."""

    def __init__(self, node, sock_dir=None, opts=None, listen=True, io_loop=None, keep_loop=False, raise_errors=False):
        self.node = node
        self.opts = dict(opts or {})
        self.raise_errors = raise_errors
        self.cpub = False
        self.subscriber = None
        self.pending_tags = []
        self.pending_events = []
        self.puburi = self.pulluri = None
        if sock_dir or self.opts.get("sock_dir"):
            self.puburi, self.pulluri = places(node, sock_dir, self.opts)
        if listen:
            self.connect_pub()

    # reading

    def connect_pub(self, timeout=None):
        """Whether events are read from now on."""
        if self.cpub:
            return True
        try:
            if self.puburi is None:
                return False
            self.subscriber = Subscriber(self.puburi, timeout)
            self.cpub = True
        except OSError:
            if self.raise_errors:
                raise
        return self.cpub

    def close_pub(self):
        if self.subscriber is not None:
            self.subscriber.close()
        self.subscriber = None
        self.pending_events = []
        self.cpub = False

    def subscribe(self, tag=None, match_type=None):
        """Events that match are kept while others are asked for."""
        if tag is not None:
            self.pending_tags.append((tag, self._matcher(match_type)))

    def unsubscribe(self, tag, match_type=None):
        known = (tag, self._matcher(match_type))
        if known in self.pending_tags:
            self.pending_tags.remove(known)
        self.pending_events = [event for event in self.pending_events if self._is_subscribed(event)]

    def get_event(self, wait=5, tag="", full=False, match_type=None, no_block=False, auto_reconnect=False):
        """The next event that matches: its data, or `{tag, data}`. None after `wait` seconds; with 0 it waits for ever."""
        matches = self._matcher(match_type)
        event = self._pending(tag, matches)
        if event is None:
            event = self._next(_Patience(0 if no_block else wait or None), tag, matches, auto_reconnect)
        return event if event is None or full else event["data"]

    def get_event_noblock(self):
        return self._next(_Patience(0), "", _startswith, False)

    def get_event_block(self):
        return self._next(_Patience(None), "", _startswith, False)

    def iter_events(self, tag="", full=False, match_type=None, auto_reconnect=False):
        while True:
            event = self.get_event(tag=tag, full=full, match_type=match_type, auto_reconnect=auto_reconnect)
            if event is not None:
                yield event
            elif not self.cpub:
                _Patience(1).rest()  # the bus is away: it is asked again

    def _next(self, patience, tag, matches, auto_reconnect):
        while True:
            if not self.connect_pub():
                if not auto_reconnect or patience.is_over():
                    return None
                patience.rest()
                continue
            try:
                read = self.subscriber.read(patience.left())
            except OSError:
                self.close_pub()
                if self.raise_errors and not auto_reconnect:
                    raise
                if not auto_reconnect:
                    return None
                continue
            if read is None:
                return None
            event = {"tag": read[0], "data": read[1]}
            if matches(event["tag"], tag):
                return event
            if self._is_subscribed(event):
                self.pending_events.append(event)

    def _pending(self, tag, matches):
        for at, event in enumerate(self.pending_events):
            if matches(event["tag"], tag):
                return self.pending_events.pop(at)
        return None

    def _is_subscribed(self, event):
        return any(matches(event["tag"], tag) for tag, matches in self.pending_tags)

    def _matcher(self, match_type):
        return MATCHERS[match_type or self.opts.get("event_match_type") or "startswith"]

    # firing

    def fire_event(self, data, tag, timeout=1000):
        """Fires on the bus of the node; where there is none, as `event.send` does. Whether it was fired."""
        if not str(tag):
            raise ValueError("Empty tag.")
        if not hasattr(data, "keys"):
            raise ValueError("Dict object expected, not '{}'.".format(data))
        data["_stamp"] = datetime.datetime.utcnow().isoformat()
        try:
            if self.pulluri is None:
                raise OSError("no sock_dir")
            with connected(self.pulluri, None if timeout is None else timeout / 1000) as bus:
                bus.sendall(frame(str(tag), data))
            return True
        except OSError:
            return self._fire_through_functions(data, str(tag))

    def fire_master(self, data, tag, timeout=1000):
        functions = seen("__salt__", None)
        if functions is not None:
            return functions["event.send"](tag, data)
        return self.fire_event({"tag": tag, "data": data, "events": None, "pretag": None}, "fire_master", timeout)

    def fire_ret_load(self, load, fun_index=0):
        pass

    def _fire_through_functions(self, data, tag):
        functions = seen("__salt__", None)
        if functions is None:
            return False
        if self.node == "master" or "event.fire" not in functions:
            return functions["event.send"](tag, data)
        return functions["event.fire"](data, tag)

    def connect_pull(self, timeout=1):
        return True

    def close_pull(self):
        pass

    def destroy(self):
        self.close_pub()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()


class MasterEvent(SaltEvent):
    """The master's bus."""

    def __init__(self, sock_dir, opts=None, listen=True, io_loop=None, keep_loop=False, raise_errors=False):
        super().__init__("master", sock_dir, opts, listen, io_loop, keep_loop, raise_errors)


class LocalClientEvent(MasterEvent):
    """The master's bus, as a client hears it."""


class MinionEvent(SaltEvent):
    """The bus of the minion that the options are of."""

    def __init__(self, opts, listen=True, io_loop=None, raise_errors=False):
        super().__init__("minion", opts.get("sock_dir"), opts, listen, io_loop, False, raise_errors)


class NamespacedEvent:
    """A bus whose tags all begin with a base."""

    def __init__(self, event, base, print_func=None):
        self.event = event
        self.base = base
        self.print_func = print_func

    def fire_event(self, data, tag):
        self.event.fire_event(data, tagify(tag, base=self.base))
        if self.print_func is not None:
            self.print_func(tag, data)

    def destroy(self):
        self.event.destroy()


class _Patience:
    """How long somebody waits; None for ever."""

    REST = 0.1

    def __init__(self, seconds):
        self._until = None if seconds is None else time.monotonic() + seconds

    def left(self):
        return None if self._until is None else max(0, self._until - time.monotonic())

    def is_over(self):
        return self.left() == 0

    def rest(self):
        left = self.left()
        time.sleep(self.REST if left is None else min(self.REST, left))


def _startswith(event_tag, tag):
    return event_tag.startswith(tag)


MATCHERS = {
    "startswith": _startswith,
    "endswith": lambda event_tag, tag: event_tag.endswith(tag),
    "find": lambda event_tag, tag: tag in event_tag,
    "regex": lambda event_tag, tag: re.match(tag, event_tag) is not None,
    "fnmatch": lambda event_tag, tag: fnmatch.fnmatch(event_tag, tag),
}
