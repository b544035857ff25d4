"""The words by which a state names others."""

REQUISITES = frozenset(
    "listen onchanges onchanges_any onfail onfail_all onfail_any onfail_stop prereq prerequired require require_any watch watch_any".split()
)
REQUISITES_IN = frozenset("listen_in onchanges_in onfail_in prereq_in require_in watch_in".split())
# what is written as one, though it says nothing of the order
USES = frozenset(("use", "use_in"))
NAMING_OTHERS = REQUISITES | REQUISITES_IN | USES
