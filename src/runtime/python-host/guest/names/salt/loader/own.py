"""Renderers, outputters, serializers and a site's own files, by name."""

import glob
import importlib
import importlib.util
import io
import os

from salt._seen import seen


class ByName:
    """Things that are made when they are asked for."""

    names = ()

    def make(self, name):
        raise KeyError(name)

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(name)
        return self.make(name)

    def __contains__(self, name):
        return name in self.names

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __iter__(self):
        return iter(self.names)

    def keys(self):
        return list(self.names)

    def items(self):
        return [(name, self[name]) for name in self.names]


class Serializers(ByName):
    names = ("json.serialize", "json.deserialize", "yaml.serialize", "yaml.deserialize", "python.serialize")

    def make(self, name):
        module, _, function = name.partition(".")
        return getattr(importlib.import_module("salt.serializers." + module), function)


class Renderers(ByName):
    """Each takes a text or an open file; templates go through `slsutil.renderer`."""

    names = ("jinja", "yaml", "json", "text", "py")

    def __init__(self, opts, functions):
        self._functions = functions

    def make(self, name):
        def render(template, saltenv="base", sls="", argline="", context=None, **kwargs):
            text = template.read() if hasattr(template, "read") else template
            if name == "yaml":
                import salt.utils.yaml

                return salt.utils.yaml.safe_load(text) or {}
            if name == "json":
                import salt.utils.json

                return salt.utils.json.loads(text)
            given = self._functions["slsutil.renderer"](string=text, default_renderer=name, saltenv=saltenv, **(context or {}))
            return io.StringIO(given) if isinstance(given, str) else given

        return render


class Outputters(ByName):
    names = ("json", "yaml", "pprint", "raw", "quiet", "txt", "nested", "highstate")

    def make(self, name):
        import salt.output

        return lambda data, **kwargs: salt.output.out_format(data, name)


class Files(ByName):
    """One function of each file of a kind that was synced: its own, or the one with the name of the kind."""

    def __init__(self, opts, kind, function, names):
        folder = os.path.join(opts.get("extension_modules") or "", kind)
        paths = sorted(glob.glob(os.path.join(folder, "*.py")))
        self._paths = {os.path.splitext(os.path.basename(path))[0]: path for path in paths}
        self._function = function
        self._given = dict(names, __opts__=opts, __grains__=opts.get("grains") or {}, __pillar__=seen("__pillar__", {}))
        self.names = tuple(self._paths)

    def make(self, name):
        spec = importlib.util.spec_from_file_location("brine_ext.asked.{}".format(name), self._paths[name])
        code = importlib.util.module_from_spec(spec)
        code.__dict__.update(self._given)
        spec.loader.exec_module(code)
        return getattr(code, self._function)
