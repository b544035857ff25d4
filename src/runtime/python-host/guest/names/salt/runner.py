"""The master's functions."""

from salt.loader.called import Called


class RunnerClient:
    """Runs functions of the master, through `salt-run`."""

    def __init__(self, opts, context=None):
        self.opts = opts
        self.functions = Called("salt-run", opts)

    def cmd(self, fun, arg=(), pub_data=None, kwarg=None, print_event=True, full_return=False):
        given = self.functions[fun](*(arg or ()), **(kwarg or {}))
        return {"return": given, "success": True} if full_return else given

    def cmd_sync(self, low, timeout=None, full_return=False):
        return self.cmd(low["fun"], low.get("arg", ()), kwarg=low.get("kwarg"), full_return=full_return)

    def cmd_async(self, low):
        """Salt gives a tag and a job id here; the function has been run when this returns."""
        return {"return": self.cmd_sync(low)}


class Runner(RunnerClient):
    def run(self):
        return self.cmd(self.opts["fun"], self.opts.get("arg", ()))
