"""Texts in colours and other looks, by the codes of terminals (ECMA-48)."""

_COLOURS = "black red green yellow blue magenta cyan white".split()
_LOOKS = {"reset": 0, "bold": 1, "faint": 2, "italic": 3, "underline": 4, "blink": 5, "blink_slow": 5, "blink_fast": 6, "inverse": 7}
_LOOKS.update(negative=7, conceal=8, strikethrough=9, extended=38, default=39, fg_default=39, bg_extended=48, bg_default=49)

graph_prefix = "\x1b["
graph_suffix = "m"
codes = {look: str(code) for look, code in _LOOKS.items()}
for _at, _colour in enumerate(_COLOURS):
    codes.update({_colour: str(30 + _at), "fg_" + _colour: str(30 + _at), "bg_" + _colour: str(40 + _at)})


class TextFormat:
    """Looks of a text: as a text what switches them on, called with a text that text in them."""

    def __init__(self, *attrs, **kwargs):
        wanted = [codes["reset"]] if kwargs.get("reset", True) else []
        wanted += [codes[name.lower()] for name in attrs if isinstance(name, str)]
        for key, begin in (("x", "extended"), ("bg_x", "bg_extended")):
            if isinstance(kwargs.get(key), int):
                wanted += [codes[begin], "5", str(kwargs[key] % 256)]
        self.codes = wanted
        self.sequence = graph_prefix + ";".join(wanted) + graph_suffix

    def __call__(self, text, reset=True):
        return "{}{}{}".format(self, text, TextFormat("reset") if reset else "")

    def __str__(self):
        return self.sequence

    __repr__ = __str__
