"""Variables of the environment that the configuration gives a module."""

import os


def get_module_environment(env=None, function=None):
    """What `system-environment` has for the module of these globals, and for one function of it."""
    found = {}
    names = env or {}
    folder, file = os.path.split(names.get("__file__", ""))
    own = [name for name in dict.fromkeys([names.get("__virtualname__"), file.split(".")[0]]) if name]
    for source in (names.get("__opts__", {}), names.get("__pillar__", {})):
        section = source.get("system-environment", {}).get(os.path.basename(folder), {})
        for name in own:
            found.update(section.get(name, {}).get("_", {}))
            if function is not None:
                found.update(section.get(name, {}).get(function, {}))
    return found
