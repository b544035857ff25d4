"""One side of the comparison (compare.py starts it in a sandbox): makes calls with the programs of a real Salt, or with ours.

    answers.py real|ours ROOT < calls

The real side finds out what there is to call, and ours is handed the same calls. Programs of the real Salt are forked from one process that
has imported it.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import calls

BIN = os.path.join(os.environ.get("BRINE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."), "bin")
SECONDS_MAX = 600
# what a job of many calls writes (brinecompared.py)
MANY = "/tmp/brine/answers"
RESTARTS_MAX = 12
SECONDS_TO_FIND = 300
SHOWN_MAX = 20_000_000


def words_of(root, call):
    """The command line of a call."""
    common = ["-c", root, "-l", "quiet", "--out=json"]
    if call["program"] == "salt-call":
        common += ["--local"]
    return [call["program"], *common, *call.get("options", []), *call["words"]]


def waited(pid, seconds):
    """The exit code of a process and its group, which is killed when it takes too long."""
    until = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "too long"
        time.sleep(0.01)
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
    return os.waitstatus_to_exitcode(status)


def answered(start, seconds=SECONDS_MAX):
    """What a program printed and how it ended. `start` runs in the child."""
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = start()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException as error:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code or 0)
    code = waited(pid, seconds)
    out.seek(0)
    err.seek(0)
    return {"code": code, "stdout": out.read(SHOWN_MAX).decode("utf8", "replace"), "stderr": err.read(SHOWN_MAX).decode("utf8", "replace")}


def real(argv):
    import salt.scripts

    sys.argv = argv
    return {"salt-call": salt.scripts.salt_call, "salt-run": salt.scripts.salt_run}[argv[0]]()


def ours(argv):
    os.execv(os.path.join(BIN, argv[0]), [os.path.join(BIN, argv[0]), *argv[1:]])


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as stream:
        return stream.readlines()


def main(which, root):
    given = json.load(sys.stdin)
    # sites find them here, and nothing else
    for folder in ("/tmp/brine", "/srv"):
        os.makedirs(folder, exist_ok=True)
    with open("/tmp/brine/file", "w") as out:
        out.write("alpha: 1\nbeta = 2\n")
    begin = time.monotonic()
    answers = []
    make = real if which == "real" else ours

    def ask(call):
        with open(os.path.join(root, "minion.d/call.conf"), "w") as out:
            out.write(call.get("config", "{}"))
        answer = dict(answered(lambda: make(words_of(root, call))), call=call)
        if "many" in call:
            wanted = len(given["many"][call["many"]])
            # one that ended the process is not asked for again
            for _ in range(RESTARTS_MAX):
                if len(lines_of(MANY)) >= wanted:
                    break
                answered(lambda: make(words_of(root, call)))
            answer["many"] = [json.loads(line) for line in lines_of(MANY)]
            if os.path.exists(MANY):
                os.remove(MANY)
        answers.append(answer)

    if which == "real":
        import calls_of_site

        calls_of_site.warm()
    # sls.py says itself what is to be called
    if which == "real" and not given:
        for call in calls.SYNC:
            if call["program"] == "salt-call" or calls_of_site.has(root, "runners"):
                ask(call)
        brief = os.environ.get("BRIEF") == "1"
        found = answered(lambda: print("\x1e" + json.dumps(calls_of_site.calls_of(root, brief))), SECONDS_TO_FIND)
        if "\x1e" not in found["stdout"]:
            sys.exit(found["stderr"])
        given = json.loads(found["stdout"].rpartition("\x1e")[2])
    with open(os.path.join(root, "calls.json"), "w") as out:
        json.dump(given["many"], out)
    for call in given["programs"]:
        ask(call)
    sys.stdout.write("\x1e" + json.dumps({"answers": answers, "many": given["many"], "seconds": time.monotonic() - begin}))
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
