"""Answers the program: tries files, runs their functions, and brings their calls of other functions to it."""

import collections
import contextlib
import functools
import io
import logging
import os
import queue
import sys
import threading
import traceback

from brine_guest import last_words, load, memory, template, wear
from brine_guest.dunders import Called, Compiler, Functions, JobEvent, Serializers, Surroundings, Utilities
from brine_guest.given import given
from brine_guest.installed import compiling, fitting, options_for, without_callbacks
from brine_guest.link import CALL, FAILURE, NOTIFY, REPLY, Link
from brine_guest.kept import MISSING, answer, kept
from brine_guest.operators import applied
from brine_guest.pack import PackError, Packed, Ways, pack, unpack
from brine_guest.printed import Printed
from brine_guest.raised import no_data, raised, to_exception

SURROUNDINGS_KEPT = 4
# enough for what Python's own limit of recursion allows
STACK_BYTES = 2 << 20
# as Salt hands it on: state modules see what execution modules keep
CONTEXT_OF = {"states": "modules"}
LOG_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info"))


def serve(descriptor, last_words_descriptor, prints):
    """Serves until the program is gone. `prints`: what modules print goes to standard output and not to the log."""
    link = Link(descriptor)
    last_words.keep(last_words_descriptor)
    guest = Guest(link)
    load.teach_logging()
    load.name_encoding()
    handler = _LogHandler(link)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    if not prints:
        sys.stdout = guest.printed
    calls = queue.Queue()
    reader = threading.Thread(target=_read, args=(link, guest, calls), daemon=True)
    reader.start()
    # signal handlers and some libraries want the main thread: what comes while it is busy gets threads of its own
    while True:
        request = calls.get()
        guest.is_busy = True
        guest.answer(*request)
        guest.is_busy = False


def _read(link, guest, calls):
    while True:
        frame = link.read()
        if frame is None:
            link.leave()
        kind, number, body = frame
        if kind in (REPLY, FAILURE):
            link.answered(kind, number, body)
        elif kind == NOTIFY:
            guest.notice(body)
        elif kind == CALL:
            try:
                request = guest.opened(body)
            except Exception:
                link.fail(number, traceback.format_exc())
                continue
            if guest.is_busy or not calls.empty():
                _beside(link, guest, number, request)
            else:
                calls.put((number, *request))


def _beside(link, guest, number, request):
    """Answers in a thread of its own."""
    before = threading.stack_size(STACK_BYTES)
    try:
        threading.Thread(target=guest.answer, args=(number, *request), daemon=True).start()
    except RuntimeError as error:
        link.fail(number, str(error))
    finally:
        threading.stack_size(before)


class Guest:
    """The modules of this process and what they work with."""

    def __init__(self, link):
        self.is_busy = False
        self._is_spent = False
        self.printed = Printed(link)
        self._link = link
        self._modules = {}
        self._surroundings = collections.OrderedDict()
        self._utilities = {}
        self._contexts = collections.defaultdict(dict)
        # what modules have put into `__salt__` and its like, for the job
        self._put = collections.defaultdict(dict)
        # whose contexts these are
        self._jid = ""
        self._current = threading.local()
        self._active = []
        self._lock = threading.Lock()
        self._locks = {}
        # files that are being loaded
        self._in_work = []
        # what answers a message, and which of its fields is the number of the surroundings
        self._messages = {
            "awake": (lambda: True, None),
            "tryModule": (self._try, 3),
            "run": (self._run, 0),
            "render": (self._render, 0),
            "object": (self._object, 0),
            "grains": (self._grains, 2),
        }

    # what the program says

    def notice(self, body):
        name, fields = _split(body)
        if name == "surroundings":
            number, opts, grains, pillar, utilities = fields
            self._surroundings[number] = Surroundings(number, opts, grains, pillar)
            self._utilities = dict(utilities)
            while len(self._surroundings) > SURROUNDINGS_KEPT:
                self._surroundings.popitem(last=False)
            logging.getLogger().setLevel(_level_of(opts))

    def opened(self, body):
        """A request as (what answers it, its fields). Surroundings are looked up at once, before others displace them."""
        name, fields = _split(body)
        answer, at = self._messages[name]
        if at is not None:
            fields[at] = self._surroundings[fields[at]]
        return answer, fields

    def answer(self, number, answer, fields):
        try:
            value = answer(*fields)
            if self._link.is_forked:
                os._exit(0)  # a module has forked, and its function returned in both processes
            self.printed.end()
            if not self._is_spent and wear.is_unfit():
                self._is_spent = True
                self._link.notify("spent")
            self._link.reply(number, value)
        except PackError as error:
            self._link.fail(number, str(error))
        except BaseException:
            self._link.fail(number, traceback.format_exc())

    def _try(self, kind, file, path, around):
        try:
            with self._looking():
                module = self._load(kind, file, path, around)
        except BaseException as error:
            return ["broken", [load.fault(error, path)]]
        if module.unavailable is not None:
            return ["unavailable", [module.name, module.unavailable]]
        functions = {name: load.describe(function) for name, function in module.functions().items()}
        doc = module.code.__doc__ or ""
        outputters = getattr(module.code, "__outputter__", {})
        aliases = getattr(module.code, "__virtual_aliases__", ())
        aliases = [aliases] if isinstance(aliases, str) else [str(one) for one in aliases]
        return ["module", [module.name, doc, functions, outputters if isinstance(outputters, dict) else {}, aliases]]

    def _run(self, around, call, kind, file, path, function, args, kwargs, jid, test, tells_items, exactly, state, tells_arguments):
        if not self._active:
            if jid and jid != self._jid:
                self._contexts.clear()
                kept.clear()
                self._put.clear()
                if self._jid:
                    around.renew()
                self._jid = jid
            self._context(kind).pop("retcode", None)
        context = self._context(kind)
        given = dict(around.opts, test=test) if test != around.opts.get("test") else around.opts
        with self._calling(call, (around, given, state or {})):
            try:
                module = self._load(kind, file, path, around)
                self._give(module.code, kind, around, given, state or {})
                if kind == "renderers" and isinstance(args[0], str):
                    args[0] = io.StringIO(args[0])  # what Salt hands to the first of a pipe
                if kind == "pillar":
                    kwargs = fitting(module.function(function), kwargs)
                called = module.function(function)
                args, kwargs = load.fitting(called, args, kwargs)
                with compiling(kind, path, Functions(self, "modules")):
                    value = called(*args, **kwargs)
                value = self._told(value, around.opts.get("id")) if tells_items and is_generator(value) else _plain(value)
                if kind == "renderers" and hasattr(value, "read"):
                    value = value.read()
            except BaseException as error:
                return self._raised(error, path)
            try:
                ways = Ways(exactly, exactly)
                value = Packed(pack(value, ways))
                left = Packed(pack([*args, *kwargs.values()])) if tells_arguments else None
                return ["returned", [value, context.get("retcode"), ways.has_kept, left]]
            except PackError as error:
                return ["raised", no_data(error, path, "{}.{}".format(module.name, function), called)]
            except BaseException as error:
                return self._raised(error, path)

    def _raised(self, error, path):
        told = raised(error, path)
        if self._link.is_forked:
            sys.stderr.write(told[2])
            sys.stderr.flush()
            os._exit(1)
        return ["raised", told]

    def _told(self, items, id_):
        """The items of a generator, each told on the way: mappings make one, others a list (salt/minion.py `_thread_return`, 3006.16)."""
        whole = {}
        for at, item in enumerate(items):
            if isinstance(item, dict) and isinstance(whole, dict):
                whole.update(item)
            else:
                whole = whole or []
                whole.append(item)
            self.fire("prog/{}/{}".format(id_, at), {"return": item})
        return whole

    def _object(self, around, call, value, question, args, kwargs):
        """Asks about an object that is kept here."""
        with self._calling(call, (around, around.opts, {})):
            try:
                found = applied(*args) if question == "operator" else answer(value, question, args, kwargs)
                ways = Ways(True, True)
                return ["missing", []] if found is MISSING else ["returned", [Packed(pack(_plain(found), ways)), ways.has_kept]]
            except BaseException as error:
                return self._raised(error, "")

    def _render(self, around, call, path, text, variables, keeps):
        seen = dict(
            salt=Functions(self, "modules"), grains=around.grains, pillar=around.pillar, opts=around.opts
        )
        with self._calling(call, (around, around.opts, {})) as calling:
            calling.is_limited = True
            try:
                code = template.load(path, text)
            except BaseException as error:
                return ["broken", raised(error, path)]
            try:
                ways = Ways(keeps)
                value = Packed(pack(_plain(template.run(code, seen, variables)), ways))
                return ["returned", [value, ways.has_kept]]
            except PackError as error:
                return ["raised", no_data(error, path, "run()", code.run)]
            except BaseException as error:
                return self._raised(error, path)

    def _grains(self, file, path, around):
        try:
            with self._looking():
                module = self._load("grains", file, path, around)
        except BaseException as error:
            return ["found", [{}, ["{} cannot be loaded: {}".format(path, load.fault(error, path))]]]
        grains, faults = {}, []
        if module.unavailable is not None:
            return ["found", [grains, faults]]
        for name, function in sorted(module.functions().items()):
            wanted = [parameter[0] for parameter in load.describe(function)[1]]
            self._in_work.append(path)
            try:
                given = function(around.collected) if wanted[:1] == ["grains"] else function()
                if isinstance(given, dict):
                    grains.update(_checked(given))
                    around.collected.update(given)
                elif given is not None:
                    faults.append("{}: grains.{} gives no mapping".format(path, name))
            except BaseException as error:
                faults.append("{}: grains.{} failed: {}".format(path, name, load.fault(error, path)))
            finally:
                self._in_work.remove(path)
        return ["found", [grains, faults]]

    # files

    def _load(self, kind, file, path, around):
        version = load.version(path)
        # while one file is loaded another may be asked for: it may want to know whether a function of that is there
        with self._lock:
            lock = self._locks.setdefault((kind, path), threading.RLock())
        with lock:
            known = self._modules.get((kind, path))
            if known is not None and known[0] == version:
                return known[1]
            give = lambda code: self._give(code, kind, around, around.opts, {})
            self._in_work.append(path)
            try:
                with load.Beside(path, sorted({os.path.dirname(one) for one in self._utilities.values()})):
                    module = load.load(kind, file, path, give)
                    give(module.code)
                    memory.spare_programs()
                    load.check_virtual(module, around.opts)
            finally:
                self._in_work.remove(path)
            self._modules[(kind, path)] = (version, module)
            return module

    def _beside(self, kind, file, path, around, name):
        """A function of a file that another one asks for while it is loaded; nothing where it is the one that waits."""
        if path in self._in_work:
            return None, None
        try:
            module = self._load(kind, file, path, around)
        except Exception:
            return None, None
        return (None, None) if module.unavailable is not None else (module, module.functions().get(name))

    def _utility(self, name):
        around = next(reversed(self._surroundings.values()))
        path = self._utilities.get(name)
        if path is not None:
            return self._load("utils", name, path, around)
        try:
            return load.helper(name, lambda code: self._give(code, "utils", around, around.opts, {}))
        except KeyError:
            return self._renamed_utility(name, around)

    def _renamed_utility(self, name, around):
        """A file of another name that `__virtual__` calls so. Raises KeyError when there is none."""
        for file, path in self._utilities.items():
            module, _ = self._beside("utils", file, path, around, "")
            if module is not None and module.name == name:
                return module
        raise KeyError(name)

    def _give(self, code, kind, around, opts, state):
        code.__opts__ = options_for(code, opts)
        code.__grains__ = around.grains
        code.__pillar__ = around.pillar
        code.__context__ = self._context(kind)
        code.__utils__ = Utilities(self._utility, lambda: list(self._utilities))
        code.__proxy__ = {}
        # grains have no __salt__, but may import Salt's modules
        if kind == "grains":
            code.__functions__ = Functions(self, "modules")
        else:
            code.__salt__ = Functions(self, "modules")
        if kind in ("runners", "wheel"):
            # salt/client/mixins.py `low`, 3006.16
            code.__jid_event__ = JobEvent(self)
            code.__jid__ = self._jid
            code.__tag__ = "salt/{}/{}".format("run" if kind == "runners" else kind, self._jid)
            code.__user__ = opts.get("user") or "UNKNOWN"
        if kind == "renderers":
            code.__states__ = Functions(self, "states")
            code.__compiler__ = Compiler(self)
        if kind == "engines":
            code.__runners__ = Functions(self, "runners")
        if kind == "states":
            code.__states__ = Functions(self, "states")
            code.__env__ = state.get("low", {}).get("__env__", opts.get("saltenv") or "base")
            code.__serializers__ = Serializers(opts)
            code.__low__ = state.get("low", {})
            code.__lowstate__ = state.get("lowstate", [])
            code.__running__ = state.get("running", {})
            code.__instance_id__ = self._jid or str(os.getpid())
            code.__user__ = opts.get("user") or "UNKNOWN"

    # what modules ask of the program

    def put(self, kind, name, value):
        """Has a name mean something else from now on."""
        self._put[kind][name] = value

    def take_away(self, kind, name):
        """Has a name mean again what it did. Raises KeyError for one that was not put there."""
        del self._put[kind][name]

    def find(self, kind, name):
        """The function of a name, as something to call; None when there is none."""
        if name in self._put[kind]:
            return self._put[kind][name]
        # while a file is loaded no function runs: the program answers by what it has itself
        number = self._number() if self._active and not self._is_looking() else 0
        how, place = self._link.call("has", number, kind, name, False)
        if how == "here":
            found = self._here(name, *place)
            if found is not None or number != 0 or place[2] in self._in_work:
                return found
            # the file beside this one is not for this machine, or has no such function
            how, _ = self._link.call("has", number, kind, name, True)
        return Called(self, kind, name) if how == "there" else None

    def _here(self, full, kind, file, path, name):
        """A function of a file of this process, which is called with the very values."""
        around, opts, state = self._seen()
        if self._active and not self._is_looking():
            module = self._load(kind, file, path, around)
            function = module.function(name)
        else:
            module, function = self._beside(kind, file, path, around, name)
        if function is None:
            return None

        def call(*args, **kwargs):
            around, opts, state = self._seen()
            self._give(module.code, kind, around, opts, state)
            with self._away():
                return function(*args, **kwargs)

        return functools.update_wrapper(call, function) if hasattr(function, "__name__") else call

    def names(self, kind):
        return list(dict.fromkeys([*self._link.call("names", self._number(), kind), *self._put[kind]]))

    def fire(self, suffix, data):
        """Fires an event of the job."""
        return self._link.call("event", self._number(), suffix, data)

    def call_back(self, kind, name, args, kwargs):
        handed = [list(args), without_callbacks(dict(kwargs))]
        try:
            how, answer = self._link.call("call", self._number(), kind, name, *handed)
        except PackError as error:
            raise ValueError("what {} is given cannot be handed to it: {}".format(name, error)) from None
        if how == "raised":
            raise to_exception(*answer)
        return given(name, answer[0]) if kind == "modules" else answer[0]

    def _number(self):
        number = getattr(self._current, "number", None)
        if number is not None:
            return number
        if self._is_looking():
            return 0
        # a thread that a module has started speaks for the call that runs
        if self._active:
            return self._active[-1][0]
        if self._in_work:
            return 0
        raise RuntimeError("functions can only be used while a function of a module runs")

    def _seen(self):
        """What the function that runs was given: surroundings, options, and of a state what it is."""
        seen = getattr(self._current, "seen", None)
        if seen is None and self._active:
            seen = self._active[-1][1]
        if seen is None:
            around = next(reversed(self._surroundings.values()))
            seen = (around, around.opts, {})
        return seen

    @contextlib.contextmanager
    def _looking(self):
        """This thread loads a file to see what is in it: it does so for no call, though others may be under way beside it."""
        self._current.is_looking = True
        try:
            yield
        finally:
            self._current.is_looking = False

    def _is_looking(self):
        return getattr(self._current, "is_looking", False)

    @contextlib.contextmanager
    def _away(self):
        """A file that is rendered has left for a function of a module."""
        calling = getattr(self._current, "calling", None)
        if calling is None or not calling.is_limited:
            yield
            return
        calling.is_limited = False
        self._link.notify("away", calling.number, True)
        try:
            yield
        finally:
            self._link.notify("away", calling.number, False)
            calling.is_limited = True

    def _context(self, kind):
        return self._contexts[CONTEXT_OF.get(kind, kind)]

    def _calling(self, number, seen):
        return _Calling(self, number, seen)


class _Calling:
    """What runs in this thread, and for threads that a module starts, at all."""

    def __init__(self, guest, number, seen):
        self._guest, self._entry = guest, (number, seen)
        self.number = number
        # whether the time that it takes is counted
        self.is_limited = False

    def __enter__(self):
        current = self._guest._current
        self._before = tuple(getattr(current, name, None) for name in ("number", "seen", "calling"))
        current.number, current.seen = self._entry
        current.calling = self
        self._guest._active.append(self._entry)
        return self

    def __exit__(self, *_):
        current = self._guest._current
        current.number, current.seen, current.calling = self._before
        self._guest._active.remove(self._entry)


class _LogHandler(logging.Handler):
    """Log lines of modules, in the program's log."""

    def __init__(self, link):
        super().__init__()
        self._link = link

    def emit(self, record):
        try:
            level = next((word for limit, word in LOG_LEVELS if record.levelno >= limit), "debug")
            self._link.notify("log", level, "{}: {}".format(record.name, record.getMessage()))
        except Exception:
            pass


def _split(body):
    end = 1 + body[0]
    return body[1:end].decode("latin-1"), unpack(body[end:])


def _level_of(opts):
    """The least that the console or the log file shows (salt/_logging/impl.py `set_lowest_log_level_by_opts`, 3006.16)."""
    shown = opts.get("log_level") or "warning"
    words = [str(word).upper() for word in (shown, opts.get("log_level_logfile") or shown)]
    levels = [logging.getLevelName(word) for word in words]
    return min([level for level in levels if isinstance(level, int)] or [logging.WARNING])


def is_generator(value):
    return hasattr(value, "__next__") and hasattr(value, "send")


def _plain(value):
    """A generator's items as a list: what it yields on the way is the result."""
    return list(value) if is_generator(value) else value


def _checked(value):
    pack(value)
    return value
