"""Python's own notation."""

import pprint

available = True


def serialize(obj, **options):
    return pprint.pformat(obj, **{key: options[key] for key in ("indent", "width", "depth") if key in options})
