"""Helpers of states."""

import copy


def gen_tag(low):
    """The name of a state's result."""
    return "{0[state]}_|-{0[__id__]}_|-{0[name]}_|-{0[fun]}".format(low)


def find_name(name, state, high):
    """Ids in high data that a requisite means, with their states."""
    found = []
    if name in high:
        return [(name, state)]
    for id_, body in high.items():
        if isinstance(body, dict) and state in body:
            if any(isinstance(arg, dict) and arg.get("name") == name for arg in body[state]):
                found.append((id_, state))
    return found


def search_onfail_requisites(sid, highstate):
    return []


def check_result(running, recurse=False, highstate=None):
    """Whether no state of a run has failed."""
    if not isinstance(running, dict) or not running:
        return False
    for one in running.values():
        if not isinstance(one, dict):
            return False
        if "result" in one:
            if one["result"] is False:
                return False
        elif not check_result(one, recurse=True):
            return False
    return True


def merge_subreturn(original_return, sub_return, subkey=None):
    """Works the return of one function into that of a state that called it."""
    if not subkey:
        subkey = sub_return["name"]
    if sub_return["result"] is False:
        original_return["result"] = False
    comments = original_return["comment"]
    if isinstance(comments, str):
        original_return["comment"] = comments + "\n" + sub_return["comment"] if comments else sub_return["comment"]
    else:
        comments.append(sub_return["comment"])
    if sub_return["changes"]:
        original_return.setdefault("changes", {})[subkey] = sub_return["changes"]
    return original_return


def get_sls_opts(opts, **kwargs):
    """Options with the environments that a call names."""
    out = copy.deepcopy(dict(opts))
    for name in ("saltenv", "pillarenv"):
        if name in kwargs:
            out[name] = kwargs[name]
    return out
