"""The words of states that are none of their functions' arguments, and the tags of states."""

from brine_guest.requisites import REQUISITES as STATE_REQUISITE_KEYWORDS, REQUISITES_IN as STATE_REQUISITE_IN_KEYWORDS

STATE_RUNTIME_KEYWORDS = frozenset(
    "check_cmd cmd_opts_exclude creates failhard fire_event fun onlyif order parallel prereq prereq_in prerequired reload_grains "
    "reload_modules reload_pillar retry runas runas_password saltenv state umask unless use use_in __env__ __id__ __orchestration_jid__ "
    "__prereq__ __prerequired__ __pub_arg __pub_fun __pub_jid __pub_pid __pub_ret __pub_tgt __pub_tgt_type __pub_user __sls__ __umask__".split()
)
STATE_INTERNAL_KEYWORDS = STATE_REQUISITE_KEYWORDS | STATE_REQUISITE_IN_KEYWORDS | STATE_RUNTIME_KEYWORDS


def split_low_tag(tag):
    """The parts of the tag of a state."""
    return dict(zip(("state", "__id__", "name", "fun"), tag.split("_|-")))


def _gen_tag(low):
    return "{0[state]}_|-{0[__id__]}_|-{0[name]}_|-{0[fun]}".format(low)
