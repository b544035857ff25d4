"""Files."""


def fopen(*args, **kwargs):
    """Opens a file as text in UTF-8, unless it is told otherwise."""
    mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
    if "b" not in mode and len(args) < 4:
        kwargs.setdefault("encoding", "utf-8")
    return open(*args, **kwargs)


