/** A module in Python that attacks the process in which it runs, its connection, and the program at the other end. */

/** What {@link HOSTILE} does, by the name of its function, and what the job says. */
export const HOSTILE_OUTCOMES: readonly (readonly [fun: string, outcome: RegExp])[] = [
  ['garbage', /hostile\.py: garbage: it wrote into the descriptor by which its Python process is reached/],
  ['zeros', /hostile\.py: zeros: it wrote into the descriptor by which its Python process is reached/],
  ['gigabyte', /hostile\.py: gigabyte: it wrote into the descriptor by which its Python process is reached/],
  ['half', /hostile\.py: half: it wrote into the descriptor .* is reached, and no end of it/],
  ['unknown_message', /hostile\.py: unknown_message: it wrote into the descriptor by which/],
  ['deep_message', /hostile\.py: deep_message: it wrote into the descriptor by which/],
  ['wrong_ids', /went on/],
  ['answers_itself', /hostile\.py: answers_itself: it answered in place of its Python process/],
  ['answers_deep', /hostile\.py: answers_deep: it answered in place of its Python process/],
  ['asks_without_end', /hostile\.py: asks_without_end: it called more than 1000 functions at once/],
  ['shuts', /hostile\.py: shuts: it closed the descriptor by which its Python process is reached/],
  [
    'takes_place',
    /hostile\.py: takes_place: it closed the descriptor by which its Python process is reached/,
  ],
  ['modules', /cleared/],
  ['replaces_modules', /replaced/],
  ['many_threads', /left 100 behind/],
  [
    'deep_value',
    /what hostile\.deep_value gives cannot be returned: it contains itself, or is nested more than 400 deep/,
  ],
  [
    'deep_arguments',
    /ValueError: what test\.echo is given cannot be handed to it: it contains itself, or is nested more than 400 deep/,
  ],
];

/** Its source. `_pipe` finds the connection; frames are `u32 length, u8 kind, u32 id, body`. */
export const HOSTILE = `
import os
import signal
import stat
import struct
import sys
import threading
import time

CALL, REPLY, NOTIFY = range(3)
LONG = 30


def _pipe():
    for descriptor in range(3, 400):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                return descriptor
        except OSError:
            pass
    raise LookupError("no connection")


def _write(data):
    pipe = _pipe()
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _frame(kind, number, body):
    return struct.pack(">IBI", len(body) + 5, kind, number) + body


def _message(name, packed):
    return bytes([len(name)]) + name.encode() + packed


def _waits():
    time.sleep(LONG)
    return "waited in vain"


def fine():
    return os.getpid()


def peak():
    with open("/proc/{}/status".format(os.getppid())) as lines:
        return [int(line.split()[1]) for line in lines if line.startswith("VmHWM")][0] << 10


def garbage():
    _write(b"what is this? " * 1000)
    return _waits()


def zeros():
    _write(bytes(1000))
    return _waits()


def gigabyte():
    piece = bytes(1 << 20)
    for _ in range(1024):
        _write(piece)
    return _waits()


def half():
    _write(struct.pack(">IBI", 120 << 20, NOTIFY, 0) + b"x" * 1000)
    return _waits()


def unknown_message():
    _write(_frame(NOTIFY, 0, _message("nonsense", b"\\x90")))
    return _waits()


def deep_message():
    _write(_frame(NOTIFY, 0, _message("log", b"\\x91" * 1000000)))
    return _waits()


def wrong_ids():
    for number in range(1000000, 1010000):
        _write(_frame(REPLY, number, b"\\xc0"))
    return "went on"


def answers_itself():
    for number in range(1, 2000):
        _write(_frame(REPLY, number, b"\\xc1 nonsense"))
    return _waits()


def answers_deep():
    for number in range(1, 2000):
        _write(_frame(REPLY, number, b"\\x91" * 2000))
    return _waits()


def asks_without_end():
    import brine_guest.serve as serve

    guest = next(one for one in __import__("gc").get_objects() if isinstance(one, serve.Guest))
    call = guest._number()
    packed = b"\\x95" + struct.pack(">BI", 0xCE, call) + b"\\xa7modules\\xaatest.sleep\\x91\\x1e\\x80"
    for number in range(1, 5000):
        _write(_frame(CALL, 100000 + number, _message("call", packed)))
    return _waits()


def shuts():
    os.close(_pipe())
    __salt__["test.echo"]("x")
    return _waits()


def takes_place():
    pipe = _pipe()
    reader, writer = os.pipe()
    os.dup2(writer, pipe)
    __salt__["test.echo"]("x")
    return _waits()


def modules():
    sys.modules.clear()
    return "cleared"


def replaces_modules():
    sys.modules["os"] = sys.modules["logging"] = None
    return "replaced"


def many_threads():
    for _ in range(100):
        threading.Thread(target=threading.Event().wait, daemon=False).start()
    return "left 100 behind"


def deep_value():
    value = []
    for _ in range(100000):
        value = [value]
    return value


def deep_arguments():
    return __salt__["test.echo"](deep_value())


def parent(name):
    os.kill(os.getppid(), getattr(signal, name))
    return _waits()
`;
