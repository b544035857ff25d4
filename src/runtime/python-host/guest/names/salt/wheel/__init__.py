"""The functions by which the master is controlled."""

from salt._programs import answer_of, words_of


class WheelClient:
    """Runs wheel functions through `salt-run salt.cmd saltutil.wheel`."""

    def __init__(self, opts=None):
        self.opts = opts or {}

    def cmd(self, fun, arg=(), pub_data=None, kwarg=None, print_event=True, full_return=False):
        words = ["--out=json", "salt.cmd", "saltutil.wheel", fun] + words_of(arg, kwarg)
        given = answer_of("salt-run", self.opts, words)
        # the answer comes with the event of the function around it
        if isinstance(given, dict) and "fun_args" in given and "return" in given:
            given = given["return"]
        return {"return": given, "success": True} if full_return else given

    def cmd_sync(self, low, timeout=None, full_return=False):
        return self.cmd(low["fun"], low.get("arg", ()), kwarg=low.get("kwarg"), full_return=full_return)

    def call_func(self, fun, **kwargs):
        return self.cmd(fun, kwarg=kwargs)

    cmd_async = cmd_sync


Wheel = WheelClient
