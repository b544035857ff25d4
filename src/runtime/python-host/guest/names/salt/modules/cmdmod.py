"""Commands, run by this process: grains call them, for which there is no `__salt__` yet."""

import os
import pwd
import shutil
import subprocess

from salt.exceptions import CommandExecutionError, TimedProcTimeoutError

DEFAULT_SHELL = "/bin/sh"


def run_all(
    cmd,
    cwd=None,
    stdin=None,
    runas=None,
    shell=DEFAULT_SHELL,
    python_shell=None,
    env=None,
    clean_env=False,
    umask=None,
    timeout=None,
    redirect_stderr=False,
    ignore_retcode=False,
    rstrip=True,
    success_retcodes=None,
    **kwargs
):
    """What a command printed, with `pid`, `retcode`, `stdout` and `stderr`."""
    if cwd is not None and not os.path.isdir(cwd):
        raise CommandExecutionError("Specified cwd '{}' either not absolute or does not exist".format(cwd))
    if isinstance(cmd, (list, tuple)):
        cmd = [str(word) for word in cmd]
    process = subprocess.Popen(
        cmd if isinstance(cmd, list) else [shell, "-c", cmd],
        cwd=cwd or os.path.expanduser("~"),
        env=_environment(env, clean_env),
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if redirect_stderr else subprocess.PIPE,
        preexec_fn=_prepare(runas, umask),
    )
    try:
        out, err = process.communicate(stdin.encode() if isinstance(stdin, str) else stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise TimedProcTimeoutError("{} : Timed out after {} seconds".format(cmd, timeout)) from None
    retcode = 0 if process.returncode in (success_retcodes or ()) else process.returncode
    return {
        "pid": process.pid,
        "retcode": retcode,
        "stdout": _text(out, rstrip),
        "stderr": _text(err, rstrip),
    }


def run(cmd, **kwargs):
    """What a command printed, errors among it."""
    kwargs.setdefault("redirect_stderr", True)
    return run_all(cmd, **kwargs)["stdout"]


shell = run


def run_stdout(cmd, **kwargs):
    return run_all(cmd, **kwargs)["stdout"]


def run_stderr(cmd, **kwargs):
    return run_all(cmd, **kwargs)["stderr"]


def retcode(cmd, **kwargs):
    return run_all(cmd, **kwargs)["retcode"]


def has_exec(cmd):
    return which(cmd) is not None


def which(cmd):
    return shutil.which(cmd)


def which_bin(cmds):
    return next((found for found in map(which, cmds) if found), None)


_run_quiet, _run_all_quiet, _retcode_quiet = run, run_all, retcode


def _environment(env, clean):
    out = {} if clean else dict(os.environ)
    given = env or {}
    if isinstance(given, list):
        given = {key: value for one in given for key, value in one.items()}
    for key, value in given.items():
        if value is False:
            out.pop(key, None)
        else:
            out[str(key)] = str(value)
    return out


def _prepare(runas, umask):
    account = None
    if runas is not None:
        try:
            account = pwd.getpwnam(runas)
        except KeyError:
            raise CommandExecutionError("User '{}' is not available".format(runas)) from None
    if account is not None and account.pw_uid == os.geteuid():
        account = None
    if account is None and umask is None:
        return None

    def prepare():
        if account is not None:
            os.initgroups(account.pw_name, account.pw_gid)
            os.setgid(account.pw_gid)
            os.setuid(account.pw_uid)
        if umask is not None:
            os.umask(int(str(umask), 8))

    return prepare


def _text(data, rstrip):
    text = (data or b"").decode("utf-8", "replace")
    return text.rstrip() if rstrip else text
