"""Has the functions of a real Salt's `ip` and its states `network` make the calls of cases.yaml, each in a folder that stands for `/`,
and records what they return, which functions they call and which files they leave, for the unit tests.

    PYTHONPATH=SALT:SHIM /usr/bin/python3 test/compare/ip/record.py

with SALT a checkout of Salt 3006.16.
"""

import copy
import json
import os
import shutil
import tempfile
import time

import salt.modules.debian_ip
import salt.modules.rh_ip
import salt.modules.suse_ip
import salt.states.network
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../../fixtures/ip/recorded.json")
MODULES = {"Debian": salt.modules.debian_ip, "RedHat": salt.modules.rh_ip, "Suse": salt.modules.suse_ip}
PLACES = {
    (module, name): value
    for module in MODULES.values()
    for name, value in vars(module).items()
    if isinstance(value, str) and value.startswith("/etc/")
}
FUNCTIONS = "build_bond build_interface build_network_settings build_routes apply_network_settings down up get_bond get_interface"
FUNCTIONS += " get_network_settings get_routes"


def read_tree(root):
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as stream:
                found[path[len(root) :]] = [stream.read(), "%04o" % (os.stat(path).st_mode & 0o7777)]
    return found


def play(case, family):
    root = tempfile.mkdtemp(prefix="ip-")
    os.chmod(root, 0o755)
    module = MODULES[family["os_family"]]
    for (each, name), value in PLACES.items():
        setattr(each, name, root + value)
    for path in family["folders"]:
        os.makedirs(root + path, exist_ok=True)
    for path, text in {**family.get("files", {}), **case.get("files", {})}.items():
        if text is None:
            continue
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(root + path, "w", encoding="utf-8") as stream:
            stream.write(text)
    answers = {**family.get("answers", {}), **case.get("answers", {})}
    called = []

    class Functions(dict):
        def __missing__(self, name):
            def call(*args, **kwargs):
                called.append([name, list(args), kwargs])
                if name == "file.set_mode":
                    os.chmod(args[0], int(args[1], 8))
                    called.pop()
                return answers.get(name)

            return call

    functions = Functions()
    for name in FUNCTIONS.split():
        if hasattr(module, name):
            functions["ip." + name] = getattr(module, name)
    grains = {**family["grains"], "os_family": family["os_family"], **case.get("grains", {})}
    for each in (module, salt.states.network):
        each.__salt__, each.__grains__, each.__opts__ = functions, grains, {"test": case.get("test", False)}
    time.sleep = lambda _: None
    salt.utils.network.interfaces = lambda: copy.deepcopy(answers["network.interfaces"])
    rows = []
    for call in case["calls"]:
        fun, args, kwargs = call[0], call[1] if len(call) > 1 else [], copy.deepcopy(call[2]) if len(call) > 2 else {}
        try:
            if fun.startswith("network."):
                value = getattr(salt.states.network, fun.split(".")[1])(*copy.deepcopy(args), **kwargs)
            else:
                value = getattr(module, fun)(*copy.deepcopy(args), **kwargs)
            row = {"value": value}
        except Exception as exc:  # whatever a wrong setting makes
            row = {"error": type(exc).__name__ + ": " + str(exc)}
        rows.append({"call": list(call), **row})
    given = {path: text for path, text in {**family.get("files", {}), **case.get("files", {})}.items() if text is not None}
    place = {"folders": family["folders"], "files": given, "grains": grains, "test": case.get("test", False), "answers": answers}
    record = {"case": case["case"], "place": place, "calls": rows, "called": called, "files": read_tree(root)}
    text = json.dumps(record).replace(root, "")
    shutil.rmtree(root)
    return json.loads(text)


def main():
    os.umask(0o022)
    with open(os.path.join(HERE, "cases.yaml"), encoding="utf-8") as stream:
        tables = list(yaml.safe_load_all(stream))
    names = [case["case"] for table in tables for case in table["cases"]]
    assert len(set(names)) == len(names), "two cases have one name"
    records = [play(case, table) for table in tables for case in table["cases"]]
    with open(OUT, "w", encoding="utf-8") as stream:
        stream.write("[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n]\n")


main()
