"""The colours of Salt's output."""

import logging

from salt.utils.textformat import TextFormat

log = logging.getLogger(__name__)
# each with a lighter one behind it
_PAIRS = "BLACK DARK_GRAY RED LIGHT_RED GREEN LIGHT_GREEN YELLOW LIGHT_YELLOW BLUE LIGHT_BLUE MAGENTA LIGHT_MAGENTA CYAN LIGHT_CYAN LIGHT_GRAY WHITE"
_LOOKS = "black red green yellow blue magenta cyan white"


def get_color_theme(theme):
    """The colours of a file: a mapping in YAML from names to codes. Empty when it cannot be read."""
    from salt.utils.files import fopen
    from salt.utils.yaml import safe_load

    try:
        with fopen(theme) as file:
            return {name: "\033[{}m".format(code) for name, code in safe_load(file).items()}
    except Exception as error:
        log.warning("The colour theme %s cannot be read: %s", theme, error)
        return {}


def get_colors(use=True, theme=None):
    """Codes by the names of colours: none for False; the name of a colour makes all of them that one."""
    looks = [look for colour in _LOOKS.split() for look in ((colour,), ("bold", colour))]
    found = {name: TextFormat(*look) for name, look in zip(_PAIRS.split(), looks)}
    found.update(DEFAULT_COLOR=TextFormat("default"), ENDC=TextFormat("reset"))
    if theme:
        found.update(get_color_theme(theme))
    if not use:
        return dict.fromkeys(found, "")
    if isinstance(use, str) and use in found:
        return {name: code if name == "ENDC" else found[use] for name, code in found.items()}
    return found
