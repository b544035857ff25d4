"""The connection to the program: frames of `u32 length, u8 kind, u32 id, body`, where a message is `u8 length, name, payload`."""

import fcntl
import os
import socket
import struct
import threading

from brine_guest.pack import pack, unpack

CALL, REPLY, NOTIFY, FAILURE = range(4)
HEADER = struct.Struct(">IBI")


# the connection stands where no module looks for it: code that closes descriptor 3 to open something else must not get our frames
DESCRIPTOR_MIN = 200
# what the program is told by: see python-end.ts
CLOSED = 86


def aside(descriptor):
    """Moves a descriptor out of the way. Returns where it is now."""
    for least in (DESCRIPTOR_MIN, 50, 5):
        try:
            moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
        except (OSError, ValueError):
            continue
        os.close(descriptor)
        return moved
    os.set_inheritable(descriptor, False)
    return descriptor


class LinkError(Exception):
    """The program refused a message, in its own words."""


class Link:
    """One end of the connection. Calls may be made from any thread."""

    def __init__(self, descriptor):
        self._socket = socket.socket(fileno=aside(descriptor))
        self._inode = os.fstat(self._socket.fileno()).st_ino
        self._write_lock = threading.Lock()
        self._waiting = {}
        self._waiting_lock = threading.Lock()
        self._next = 1
        # a process that a module forks shares the connection, and must not speak on it
        self._pid = os.getpid()
        os.register_at_fork(after_in_child=self._socket.close)

    @property
    def is_forked(self):
        return os.getpid() != self._pid

    def leave(self):
        """Ends the process when nothing more can be read."""
        os._exit(0 if self._is_ours() else CLOSED)

    def _is_ours(self):
        try:
            return os.fstat(self._socket.fileno()).st_ino == self._inode
        except OSError:
            return False  # a module has closed it

    def read(self):
        """The next frame as (kind, id, body); None when the program is gone."""
        head = self._exactly(HEADER.size)
        if head is None:
            return None
        length, kind, number = HEADER.unpack(head)
        body = self._exactly(length - (HEADER.size - 4))
        return None if body is None else (kind, number, body)

    def call(self, name, *fields):
        """Asks the program and waits for its answer."""
        done = threading.Event()
        box = []
        with self._waiting_lock:
            number = self._next
            self._next = (self._next + 1) & 0xFFFFFFFF
            self._waiting[number] = (done, box)
        self._write(CALL, number, _message(name, fields))
        done.wait()
        kind, body = box[0]
        if kind == FAILURE:
            raise LinkError(bytes(body).decode("utf-8", "replace"))
        return unpack(body)

    def notify(self, name, *fields):
        if not self.is_forked:
            self._write(NOTIFY, 0, _message(name, fields))

    def answered(self, kind, number, body):
        """Hands a frame that answers a call to whoever waits for it."""
        with self._waiting_lock:
            waiting = self._waiting.pop(number, None)
        if waiting is not None:
            done, box = waiting
            box.append((kind, body))
            done.set()

    def reply(self, number, value):
        self._write(REPLY, number, pack(value))

    def fail(self, number, text):
        self._write(FAILURE, number, text.encode("utf-8", "replace"))

    def _exactly(self, size):
        out = bytearray()
        while len(out) < size:
            try:
                piece = self._socket.recv(min(size - len(out), 1 << 20))
            except InterruptedError:
                continue
            except OSError:
                return None
            if not piece:
                return None
            out += piece
        return bytes(out)

    def _write(self, kind, number, body):
        if self.is_forked:
            raise OSError("a process that a module has forked cannot use its functions")
        with self._write_lock:
            try:
                if not self._is_ours():
                    os._exit(CLOSED)
                head = HEADER.pack(len(body) + HEADER.size - 4, kind, number)
                if len(body) > 1 << 16:
                    self._socket.sendall(head)
                    self._socket.sendall(body)
                else:
                    self._socket.sendall(head + body)
            except OSError:
                os._exit(CLOSED)


def _message(name, fields):
    head = name.encode("latin-1")
    return bytes([len(head)]) + head + pack(list(fields))
