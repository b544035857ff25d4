"""Jobs for minions and functions of this one, by our own programs, with the rights of the account that runs this."""

from salt._programs import answer_of, words_of
from salt.loader.called import Called, minion_functions

TARGETS = {"list": "-L", "grain": "-G", "grain_pcre": "--grain-pcre", "pillar": "-I", "pillar_exact": "--pillar-exact"}
TARGETS.update({"pillar_pcre": "--pillar-pcre", "pcre": "-E", "nodegroup": "-N", "range": "-R", "compound": "-C", "ipcidr": "-S"})


class LocalClient:
    """Runs functions on minions, through `salt`."""

    def __init__(self, c_path=None, mopts=None, skip_perm_errors=False, io_loop=None, keep_loop=False, auto_reconnect=False, listen=False):
        import salt.config

        self.opts = dict(mopts) if mopts else salt.config.client_config(c_path)

    def cmd(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", jid="", full_return=False, kwarg=None, **kwargs):
        """What each minion returned, by its id. With `full_return` also `retcode` and `jid`."""
        given = self._run(tgt, fun, arg, timeout, tgt_type, ret, kwarg, ["--static", "--hide-timeout"])
        answers = given if isinstance(given, dict) else {}
        return {minion: {"ret": answer, "retcode": 0} for minion, answer in answers.items()} if full_return else answers

    def cmd_async(self, tgt, fun, arg=(), tgt_type="glob", ret="", jid="", kwarg=None, **kwargs):
        """The id of a job that is started; 0 when it reaches nobody."""
        given = self._run(tgt, fun, arg, None, tgt_type, ret, kwarg, ["--async"])
        return next((word for word in str(given).replace('"', " ").split() if word.isdigit() and len(word) >= 20), 0)

    def cmd_iter(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", kwarg=None, **kwargs):
        """One mapping for each minion."""
        for minion, answer in self.cmd(tgt, fun, arg, timeout, tgt_type, ret, kwarg=kwarg).items():
            yield {minion: {"ret": answer}}

    cmd_iter_no_block = cmd_iter

    def cmd_cli(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", verbose=False, kwarg=None, progress=False, **kwargs):
        yield from self.cmd_iter(tgt, fun, arg, timeout, tgt_type, ret, kwarg)

    def cmd_batch(self, tgt, fun, arg=(), tgt_type="glob", ret="", kwarg=None, batch="10%", **kwargs):
        """One mapping for each minion, so many at a time."""
        given = self._run(tgt, fun, arg, None, tgt_type, ret, kwarg, ["--static", "--hide-timeout", "--batch-size={}".format(batch)])
        for minion, answer in (given if isinstance(given, dict) else {}).items():
            yield {minion: answer}

    def cmd_subset(self, tgt, fun, arg=(), tgt_type="glob", ret="", kwarg=None, subset=3, cli=False, progress=False, full_return=False, **kwargs):
        given = self._run(tgt, fun, arg, None, tgt_type, ret, kwarg, ["--static", "--hide-timeout", "--subset={}".format(subset)])
        return given if isinstance(given, dict) else {}

    def run_job(self, tgt, fun, arg=(), tgt_type="glob", ret="", timeout=None, jid="", kwarg=None, listen=False, **kwargs):
        """`jid` and `minions` of a job that is started."""
        started = self.cmd_async(tgt, fun, arg, tgt_type, ret, kwarg=kwarg)
        if not started:
            return {}
        job = self.runner("jobs.list_job", started)
        return {"jid": started, "minions": list((job or {}).get("Minions") or [])}

    def get_cache_returns(self, jid):
        """What the minions of a job have returned."""
        given = self.runner("jobs.lookup_jid", jid) or {}
        return {minion: {"ret": answer} for minion, answer in given.items()}

    get_full_returns = lambda self, jid, minions=None, timeout=None: self.get_cache_returns(jid)

    def gather_job_info(self, jid, tgt, tgt_type, **kwargs):
        return self.cmd(tgt, "saltutil.find_job", [jid], tgt_type=tgt_type)

    def runner(self, fun, *args):
        return Called("salt-run", self.opts)[fun](*args)

    def destroy(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def _run(self, tgt, fun, arg, timeout, tgt_type, ret, kwarg, words):
        flags = list(words) + ["--out=json"]
        if timeout:
            flags.append("--timeout={}".format(int(timeout)))
        if ret:
            flags.append("--return={}".format(ret))
        if tgt_type in TARGETS:
            flags.append(TARGETS[tgt_type])
        target = ",".join(tgt) if isinstance(tgt, (list, tuple)) else str(tgt)
        calls = [fun] if isinstance(fun, str) else list(fun)
        if len(calls) > 1:
            return self._run_several(flags, target, calls, arg)
        given = [arg] if isinstance(arg, str) else list(arg or ())
        return answer_of("salt", self.opts, flags + [target, calls[0]] + words_of(given, kwarg))

    def _run_several(self, flags, target, calls, arg):
        lists = [words_of(one, {}) for one in arg]
        joined = []
        for at, words in enumerate(lists):
            joined += ([","] if at else []) + words
        return answer_of("salt", self.opts, flags + [target, ",".join(calls)] + joined)


class Caller:
    """Functions of this minion: in a module its own `__salt__`, elsewhere `salt-call`."""

    def __init__(self, c_path=None, mopts=None):
        import salt.config

        self.opts = dict(mopts) if mopts else salt.config.minion_config(c_path)
        self.sminion = _Minion(self.opts)

    def cmd(self, fun, *args, **kwargs):
        return self.sminion.functions[fun](*args, **kwargs)

    function = cmd


class _Minion:
    def __init__(self, opts):
        self.opts = opts

    @property
    def functions(self):
        return minion_functions(self.opts)


ProxyCaller = Caller


def get_local_client(c_path=None, mopts=None, skip_perm_errors=False, io_loop=None, auto_reconnect=False):
    return LocalClient(c_path, mopts)
