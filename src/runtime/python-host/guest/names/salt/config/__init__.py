"""The options of minions and masters, from their files."""

import copy
import glob
import os

from salt import syspaths
from salt._seen import seen
from salt.config import _defaults

DEFAULT_MINION_OPTS = {
    **_defaults.MINION,
    "id": "",
    "master": "salt",
    "master_port": 4506,
    "user": "root",
    "conf_file": os.path.join(syspaths.CONFIG_DIR, "minion"),
    "root_dir": syspaths.ROOT_DIR,
    "pki_dir": os.path.join(syspaths.CONFIG_DIR, "pki", "minion"),
    "cachedir": os.path.join(syspaths.CACHE_DIR, "minion"),
    "extension_modules": os.path.join(syspaths.CACHE_DIR, "minion", "extmods"),
    "sock_dir": os.path.join(syspaths.SOCK_DIR, "minion"),
    "log_file": os.path.join(syspaths.LOGS_DIR, "minion"),
    "default_include": "minion.d/*.conf",
    "file_client": "remote",
    "file_roots": {"base": [syspaths.BASE_FILE_ROOTS_DIR]},
    "pillar_roots": {"base": [syspaths.BASE_PILLAR_ROOTS_DIR]},
    "fileserver_backend": ["roots"],
    "renderer": "jinja|yaml",
    "hash_type": "sha256",
    "saltenv": None,
    "pillarenv": None,
    "grains": {},
    "test": False,
    "transport": "zeromq",
    "__role": "minion",
}
DEFAULT_MASTER_OPTS = {
    **_defaults.MASTER,
    "id": "",
    "interface": "0.0.0.0",
    "publish_port": 4505,
    "ret_port": 4506,
    "user": "root",
    "conf_file": os.path.join(syspaths.CONFIG_DIR, "master"),
    "root_dir": syspaths.ROOT_DIR,
    "pki_dir": os.path.join(syspaths.CONFIG_DIR, "pki", "master"),
    "cachedir": os.path.join(syspaths.CACHE_DIR, "master"),
    "extension_modules": os.path.join(syspaths.CACHE_DIR, "master", "extmods"),
    "sock_dir": os.path.join(syspaths.SOCK_DIR, "master"),
    "log_file": os.path.join(syspaths.LOGS_DIR, "master"),
    "default_include": "master.d/*.conf",
    "file_client": "local",
    "file_roots": {"base": [syspaths.BASE_FILE_ROOTS_DIR]},
    "pillar_roots": {"base": [syspaths.BASE_PILLAR_ROOTS_DIR]},
    "fileserver_backend": ["roots"],
    "renderer": "jinja|yaml",
    "hash_type": "sha256",
    "timeout": 5,
    "keep_jobs_seconds": 86400,
    "cache": "localfs",
    "transport": "zeromq",
    "nodegroups": {},
    "__role": "master",
}


def minion_config(path=None, env_var="SALT_MINION_CONFIG", defaults=None, cache_minion_id=False, ignore_config_errors=True, minion_id=None, role="minion"):
    """The options of the minion whose file this is: those that the module runs with, when it is that minion's."""
    opts = _options(path, env_var, defaults or DEFAULT_MINION_OPTS)
    opts["__role"] = role
    if minion_id is not None:
        opts["id"] = minion_id
    return opts


def master_config(path=None, env_var="SALT_MASTER_CONFIG", defaults=None, exit_on_config_errors=False):
    """The options of the master whose file this is."""
    return _options(path, env_var, defaults or DEFAULT_MASTER_OPTS)


def client_config(path=None, env_var="SALT_CLIENT_CONFIG", defaults=None):
    """The options of the master whose file this is, with the caller's own from `~/.saltrc`."""
    opts = _options(path, "SALT_MASTER_CONFIG", defaults or DEFAULT_MASTER_OPTS)
    own = os.environ.get(env_var, os.path.expanduser("~/.saltrc"))
    if os.path.isfile(own):
        opts.update(_read(own))
    return opts


def syndic_config(master_config_path, minion_config_path, **_):
    opts = master_config(master_config_path)
    opts.update(minion_config(minion_config_path), __role="syndic")
    return opts


api_config = spm_config = master_config


def apply_minion_config(overrides=None, defaults=None, **_):
    return dict(defaults or DEFAULT_MINION_OPTS, **(overrides or {}))


def apply_master_config(overrides=None, defaults=None):
    return dict(defaults or DEFAULT_MASTER_OPTS, **(overrides or {}))


def get_id(opts, cache_minion_id=False):
    """The id of this minion, and whether it was found from an address alone."""
    import socket

    return opts.get("id") or socket.getfqdn(), False


def include_config(include, orig_path, verbose=False, exit_on_config_errors=False):
    """What the files of `include` or `default_include` say."""
    found = {}
    for pattern in [include] if isinstance(include, str) else include or []:
        full = pattern if os.path.isabs(pattern) else os.path.join(os.path.dirname(orig_path), pattern)
        for path in sorted(glob.glob(full)):
            found.update(_read(path))
    return found


def load_config(path, env_var=None, default_path=None, exit_on_config_errors=True):
    path = os.environ.get(env_var or "", path) or default_path
    return _read(path) if path and os.path.isfile(path) else {}


def prepend_root_dir(opts, path_options):
    """Puts `root_dir` before paths that are not below it."""
    root = os.path.abspath(opts.get("root_dir") or "/")
    for name in path_options:
        path = opts.get(name)
        if isinstance(path, str) and root != "/" and not path.startswith(root + os.sep):
            opts[name] = os.path.join(root, path.lstrip("/"))


def _options(path, env_var, defaults):
    if path is None or not os.path.isfile(path):
        path = os.environ.get(env_var) or path or defaults["conf_file"]
    mine = seen("__opts__", None)
    if isinstance(mine, dict) and mine.get("conf_file") == path:
        return copy.deepcopy(dict(mine))
    opts = copy.deepcopy(defaults)
    opts["conf_file"] = path
    if os.path.isfile(path):
        own = _read(path)
        opts.update(own)
        opts.update(include_config(opts.get("default_include"), path))
        opts.update(include_config(own.get("include"), path))
    prepend_root_dir(opts, ("pki_dir", "cachedir", "extension_modules", "sock_dir", "log_file"))
    if not opts["id"]:
        opts["id"] = get_id(opts)[0]
    return opts


def _read(path):
    import salt.utils.yaml

    with open(path, encoding="utf-8") as handle:
        return salt.utils.yaml.safe_load(handle) or {}
