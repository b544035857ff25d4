"""Helpers of Salt that sites use most; functions that Salt once had right here are found at their places of today."""

from salt._parts import lazily

_PLACES = {
    "args": "clean_kwargs invalid_kwargs test_mode shlex_split",
    "data": "compare_dicts compare_lists decode_dict decode_list exactly_n exactly_one filter_by is_dictlist is_iter is_list is_true "
    "repack_dictlist subdict_match substr_in_list traverse_dict traverse_dict_and_list",
    "dateutils": "date_cast date_format total_seconds",
    "files": "backup_minion flopen fopen fpopen is_bin_file is_empty istextfile mkstemp rm_rf safe_rm safe_walk",
    "functools": "alias_function namespaced_function",
    "hashutils": "get_hash",
    "jid": "gen_jid is_jid jid_to_time",
    "path": "which which_bin safe_path sanitize_win_path_string",
    "platform": "is_aix is_darwin is_freebsd is_linux is_netbsd is_openbsd is_proxy is_smartos is_smartos_globalzone is_smartos_zone "
    "is_sunos is_windows",
    "stringutils": "build_whitespace_split_regex check_include_exclude check_whitelist_blacklist contains_whitespace dequote expr_match "
    "human_to_bytes is_quoted print_cli random to_bytes to_num to_str to_unicode",
    "user": "chugid get_gid get_group_dict get_group_list get_uid get_user",
    "versions": "kwargs_warn_until version_cmp warn_until",
    "network": "generate_minion_id gen_mac get_fqhostname host_to_ip host_to_ips ip_bracket mac_str_to_bytes",
    "pycrypto": "secure_password",
    "state": "find_name get_sls_opts",
}
__getattr__ = lazily(__name__, dict(
    {name: "{}.{}".format(module, name) for module, names in _PLACES.items() for name in names.split()},
    compare_versions="versions.compare",
    option="data.option",
    str_to_num="stringutils.to_num",
))
