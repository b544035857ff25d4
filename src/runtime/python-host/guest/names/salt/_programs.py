"""The programs of this installation, for what a module asks of masters and minions as a user does."""

import json
import os
import shutil
import subprocess

from salt.exceptions import SaltClientError

STEPS_UP = 8


def command(program, opts):
    """The words that start one of the programs (`salt`, `salt-run` …) with the configuration of these options."""
    words = _start(program)
    folder = config_folder(opts)
    return words + (["-c", folder] if folder else [])


def config_folder(opts):
    """The folder of the configuration that options were read from; None when they do not tell."""
    opts = opts or {}
    if opts.get("config_dir"):
        return opts["config_dir"]
    return os.path.dirname(opts["conf_file"]) if opts.get("conf_file") else None


def answer_of(program, opts, words, timeout=None):
    """What a program prints as JSON; a text that is none as it is. Raises SaltClientError when it prints nothing."""
    line = command(program, opts) + list(words)
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    printed = done.stdout.decode("utf-8", "replace").strip()
    if not printed and done.returncode != 0:
        raise SaltClientError(_fault_in(done.stderr.decode("utf-8", "replace")) or "{} ended with code {}".format(program, done.returncode))
    try:
        return json.loads(printed) if printed else None
    except ValueError:
        return printed


def _fault_in(text):
    """What a program says is wrong, without its log and the object that says the same to programs."""
    lines = [line for line in text.splitlines() if not line.startswith(("[", '{"error":'))]
    return "\n".join(lines).strip() or text.strip()


def words_of(args, kwargs):
    """Arguments of a function as words of a command line, which reads them as YAML."""
    given = [_word(value) for value in args or ()]
    return given + ["{}={}".format(key, _word(value)) for key, value in (kwargs or {}).items() if not key.startswith("__")]


def _word(value):
    return value if isinstance(value, str) and not _looks_like_data(value) else json.dumps(value)


def _looks_like_data(text):
    """Whether a text would be read as something else, or as a keyword, when it stands in a command line as it is."""
    if text == "" or text != text.strip() or text[0] in "[{\"'&*!|>%@`#-?" or "=" in text or ": " in text:
        return True
    if text.lower() in ("true", "false", "yes", "no", "on", "off", "null", "none", "~"):
        return True
    return text[0].isdigit() or text[0] in "+."


def _start(program):
    here = os.path.dirname(os.path.abspath(__file__))
    for _ in range(STEPS_UP):
        here = os.path.dirname(here)
        path = os.path.join(here, "bin", program)
        if os.path.exists(path):
            return [_node(), path]
    found = shutil.which(program)
    if found is None:
        raise SaltClientError("{} is not on the PATH of this process".format(program))
    return [found]


def _node():
    """The Node.js that this process was started by, which need not be on the PATH."""
    try:
        parent = os.readlink("/proc/{}/exe".format(os.getppid()))
    except OSError:
        return "node"
    return parent if os.path.basename(parent).startswith("node") else "node"
