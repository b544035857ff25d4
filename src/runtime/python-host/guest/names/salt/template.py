"""Rendering of files and texts."""

import io

from salt._seen import seen

SLS_ENCODING = "utf-8"


def compile_template(template, renderers, default, blacklist, whitelist, saltenv="base", sls="", input_data="", context=None, **kwargs):
    """What the renderers make of a file, or of `input_data` when the file is `:string:`."""
    call = seen("__salt__")["slsutil.renderer"]
    names = dict(context or {}, **kwargs)
    if template == ":string:":
        return call(string=input_data, default_renderer=default, saltenv=saltenv, sls=sls, **names)
    return call(path=str(template), default_renderer=default, saltenv=saltenv, sls=sls, **names)


def compile_template_str(template, renderers, default, blacklist, whitelist):
    return compile_template(":string:", renderers, default, blacklist, whitelist, input_data=template)


def template_shebang(template, renderers, default, blacklist, whitelist, input_data):
    """The renderers that the first line names, else the default: pairs of name and arguments."""
    text = input_data if template == ":string:" else open(template, encoding=SLS_ENCODING).read()
    line = text.split("\n", 1)[0]
    pipe = line[2:] if line.startswith("#!") and not line.startswith("#!/") else default
    return [tuple((part.strip() + " ").split(" ", 1)) for part in pipe.strip().split("|")]


def check_render_pipe_str(pipestr, renderers, blacklist, whitelist):
    return [tuple((part.strip() + " ").split(" ", 1)) for part in pipestr.strip().split("|")]


def as_file(text):
    return io.StringIO(text)
