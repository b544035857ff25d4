"""Commands with a limit."""

import subprocess

from salt.exceptions import TimedProcTimeoutError


class TimedProc:
    """A command; `run` waits for it, no longer than `timeout` seconds."""

    def __init__(self, args, **kwargs):
        self.command = args
        self.timeout = kwargs.pop("timeout", None)
        self.with_communicate = kwargs.pop("with_communicate", True)
        self._stdin = kwargs.pop("stdin", None)
        if self._stdin is not None:
            kwargs["stdin"] = subprocess.PIPE
        self.process = subprocess.Popen(args, **kwargs)
        self.stdout = self.stderr = None

    def run(self):
        given = self._stdin.encode() if isinstance(self._stdin, str) else self._stdin
        try:
            self.stdout, self.stderr = self.process.communicate(given, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise TimedProcTimeoutError("{} : Timed out after {} seconds".format(self.command, self.timeout)) from None
        return self.process.returncode

    wait = run
