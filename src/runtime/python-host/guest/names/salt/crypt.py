"""Keys and ciphers stay with Brine: what needs them goes through its functions and programs."""

from salt.exceptions import CommandExecutionError


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(*_, **__):
        raise CommandExecutionError("salt.crypt.{} is not there for modules: keys stay with Brine's own programs".format(name))

    return refuse
