"""Windows: names that are imported everywhere and used there alone."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(*_, **__):
        raise NotImplementedError("salt.utils.win_dacl.{} is for Windows".format(name))

    return refuse
