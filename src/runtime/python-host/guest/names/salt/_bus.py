"""The event bus of this machine's master or minion: frames of msgpack on its sockets."""

import hashlib
import os
import select
import socket
import struct
import time

TAGEND = b"\n\n"
# what a frame begins with: {"head": {}, "body": …}
HEAD = bytes.fromhex("82a46865616480a4626f6479")
BODY_SIZES = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
PIECE_BYTES = 1 << 16
LOOPBACK = "127.0.0.1"
PORTS = {"master": ("tcp_master_pub_port", "tcp_master_pull_port"), "minion": ("tcp_pub_port", "tcp_pull_port")}


def places(node, sock_dir, opts):
    """Where events are read and where they are fired: each a path, or a port of this host."""
    if opts.get("ipc_mode") == "tcp":
        return [int(opts[name]) for name in PORTS["master" if node == "master" else "minion"]]
    folder = sock_dir or opts["sock_dir"]
    if node == "master":
        return [os.path.join(folder, "master_event_{}.ipc".format(end)) for end in ("pub", "pull")]
    id_hash = hashlib.new(opts.get("hash_type") or "sha256", str(opts["id"]).encode("utf-8")).hexdigest()[:10]
    return [os.path.join(folder, "minion_event_{}_{}.ipc".format(id_hash, end)) for end in ("pub", "pull")]


def connected(place, timeout=None):
    """A socket to a place. Raises OSError."""
    if isinstance(place, int):
        return socket.create_connection((LOOPBACK, place), timeout)
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        one.settimeout(timeout)
        one.connect(place)
    except OSError:
        one.close()
        raise
    return one


def frame(tag, data):
    """The bytes of an event."""
    from brine_guest.pack import pack

    body = tag.encode("utf-8") + TAGEND + pack(data)
    return pack({"head": {}, "body": body})


class Subscriber:
    """Reads events from a place."""

    def __init__(self, place, timeout=None):
        self._socket = connected(place, timeout)
        self._buffer = bytearray()

    def read(self, wait=None):
        """The next event as (tag, data); None when none comes within `wait` seconds. Raises OSError when the bus is gone."""
        until = None if wait is None else time.monotonic() + wait
        while True:
            event = self._taken()
            if event is not None:
                return event
            left = None if until is None else max(0, until - time.monotonic())
            if not select.select([self._socket], [], [], left)[0]:
                return None
            piece = self._socket.recv(PIECE_BYTES)
            if not piece:
                raise ConnectionResetError("the event bus has gone away")
            self._buffer += piece

    def close(self):
        self._socket.close()

    def _taken(self):
        from brine_guest.pack import unpack

        while self._buffer:
            found = _frame_at_start(self._buffer)
            if found is None:
                return None
            body, end = found
            del self._buffer[:end]
            tag, separator, data = bytes(body).partition(TAGEND)
            if separator:
                return tag.decode("utf-8", "replace"), unpack(data)
        return None


def _frame_at_start(buffer):
    """(body, end) of the first frame; None while it is not whole."""
    from brine_guest.pack import unpack_at

    at = len(HEAD)
    if buffer[:at] == HEAD and len(buffer) > at + 5 and buffer[at] in BODY_SIZES:
        form = BODY_SIZES[buffer[at]]
        begin = at + 1 + struct.calcsize(form)
        end = begin + struct.unpack_from(form, buffer, at + 1)[0]
        return (buffer[begin:end], end) if end <= len(buffer) else None
    try:
        value, end = unpack_at(buffer, 0)
    except (IndexError, struct.error):
        return None
    if end > len(buffer):
        return None
    body = value.get("body") if isinstance(value, dict) else None
    return (body.encode("utf-8") if isinstance(body, str) else bytes(body or b"")), end
