"""Data as indented lines, without colours."""

STEP = 4


class NestDisplay:
    """Lines of nested data."""

    def __init__(self, retcode=0):
        self.retcode = retcode

    def display(self, ret, indent, prefix, out):
        """Appends the lines of `ret` to the list `out`, and gives it back."""
        space = " " * indent
        if isinstance(ret, dict):
            if indent:
                out.append(space + "-" * 10)
            for key in sorted(ret, key=str):
                out.append("{}{}{}:".format(space, prefix, key))
                self.display(ret[key], indent + STEP, "", out)
        elif isinstance(ret, (list, tuple)):
            for item in ret:
                if isinstance(item, (list, tuple, dict)):
                    out.append(space + "|_")
                    self.display(item, indent + 2, "", out)
                else:
                    self.display(item, indent, "- ", out)
        elif isinstance(ret, str):
            for at, line in enumerate(ret.splitlines()):
                out.append(space + (" " * len(prefix) if at else prefix) + line)
        else:
            out.append("{}{}{}".format(space, prefix, ret))
        return out


def output(ret, **kwargs):
    return "\n".join(NestDisplay().display(ret, int(kwargs.get("nested_indent", 0)), "", []))
