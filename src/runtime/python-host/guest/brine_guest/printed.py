"""Standard output of modules: lines of the log, since the program's own output is for results."""

import io
import os

LINE_MAX = 4096
LINES_MAX = 1000


class Printed(io.TextIOBase):
    """What is printed in one call is bounded: the rest is counted."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, link):
        self._link = link
        self._line = ""
        self._lines = 0
        self._raw = None

    def write(self, text):
        text = str(text)
        *lines, rest = text.split("\n")
        for line in lines:
            self._tell(self._line + line)
            self._line = ""
        if len(self._line) < LINE_MAX:
            self._line += rest[:LINE_MAX]
        return len(text)

    def writable(self):
        return True

    def flush(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        # the null device: what programs print that are handed it
        return 1

    @property
    def buffer(self):
        if self._raw is None:
            self._raw = os.fdopen(1, "wb", closefd=False)
        return self._raw

    def end(self):
        """A call has ended."""
        if self._line:
            self._tell(self._line)
        left = self._lines - LINES_MAX
        if left > 0:
            self._link.notify("log", "info", "printed: {} more lines, which are left out".format(left))
        self._line = ""
        self._lines = 0

    def _tell(self, line):
        self._lines += 1
        if self._lines <= LINES_MAX:
            self._link.notify("log", "info", "printed: " + line[:LINE_MAX])
