"""The renderer pyobjects: SLS whose states are objects of Python (salt/renderers/pyobjects.py, 3006.16)."""

import ast
import builtins
import difflib
import os
import re

from brine_guest import pyobjects
from brine_guest.raised import placed, sourced
from salt.exceptions import SaltRenderError

FROM = re.compile(r"(\s*)from\s+(salt://.*)\s+import\s+(.*)")
IMPORT = re.compile(r"(\s*)import\s+(salt://.*)")
ALIAS = re.compile(r"(.*)\sas\s(.*)")


def render(template, saltenv="base", sls="", tmplpath=None, context=None, **_):
    text = template.read() if hasattr(template, "read") else template
    names = dict(
        include=lambda *args: pyobjects.sheet().include(*args),
        extend=pyobjects.StateExtend,
        Map=pyobjects.Map,
        salt=__salt__,
        pillar=__salt__["pillar.get"],
        grains=__salt__["grains.get"],
        mine=__salt__["mine.get"],
        config=__salt__["config.get"],
        __salt__=__salt__,
        __pillar__=__pillar__,
        __grains__=__grains__,
        __opts__=__opts__,
        __sls__=sls,
    )
    names.update(context or {})
    files = _Files(names, saltenv)
    with pyobjects.on(pyobjects.Sheet(__salt__)) as sheet, sourced(tmplpath, text):
        try:
            files.run(text, tmplpath, sheet)
        except Exception as error:
            raise SaltRenderError(placed(error, tmplpath, pyobjects.StateException) + files.hint(error)) from None
        return sheet.data()


class _Files:
    """A file and those that it imports, each with the same names to begin with."""

    def __init__(self, names, saltenv):
        self._names = names
        self._saltenv = saltenv
        self._factories = {}
        # those that are being imported
        self._importing = []

    def run(self, text, path, sheet):
        # what is imported declares nothing
        sheet.is_open = False
        code, names = self._read(text, path or "<string>")
        sheet.is_open = True
        exec(code, names)

    def _read(self, text, path):
        """The code of a file, and the names that it sees."""
        names = dict(self._names)
        lines = [self._line(line.rstrip("\r"), names, (path, at)) for at, line in enumerate(text.split("\n"), 1)]
        tree = ast.parse("\n".join(lines), path)
        used, made = _capitals(tree)
        for name in sorted(used - set(names) - set(vars(builtins))):
            self._factory(name, names, name in made)
        return compile(tree, path, "exec", dont_inherit=True), names

    def _line(self, line, names, place):
        """A line of a file; one that imports another file has its place kept, so that lines keep their numbers."""
        found = FROM.fullmatch(line) or IMPORT.fullmatch(line)
        if not found:
            return line
        indent, uri, *wanted = found.groups()
        try:
            name, seen = self._imported(uri.strip())
            if wanted:
                names.update(_taken(uri, seen, wanted[0]))
            else:
                names[name] = _Imported(name, seen)
        except _NoImport as error:
            raise pyobjects.StateException("{} ({}, line {})".format(error, *place)) from None
        return indent + "pass"

    def _imported(self, uri):
        """A file that is imported, as (its name, its names)."""
        if uri in self._importing:
            raise _NoImport("'{}' imports itself: {}".format(uri, " imports ".join([*self._importing, uri])))
        path = __salt__["cp.cache_file"](uri, self._saltenv)
        if not path:
            raise _NoImport("Could not find the file '{}'".format(uri))
        self._importing.append(uri)
        with open(path, encoding="utf-8") as source:
            code, names = self._read(source.read(), path)
        exec(code, names)
        self._importing.pop()
        return os.path.splitext(os.path.basename(path))[0], names

    def _factory(self, name, names, is_made):
        """Makes a name mean a state module, where there is one; for what the file makes itself, not all of them are looked through."""
        if name not in self._factories:
            module = _module(name) or (None if is_made else _modules().get(name))
            self._factories[name] = module and pyobjects.StateFactory(module, _Functions(module))
        if self._factories[name]:
            names[name] = self._factories[name]

    def hint(self, error):
        """What is to be said besides of a name that looks like a state module."""
        name = re.search("name '([A-Z][A-Za-z0-9]*)' is not defined", str(error))
        if name is None or not isinstance(error, NameError):
            return ""
        close = difflib.get_close_matches(name[1], _modules(), 1)
        return "\nThere is no state module for {} on this machine.{}".format(name[1], " Did you mean {}?".format(close[0]) if close else "")


class _NoImport(Exception):
    """A line of a file imports what is not there."""


def _taken(uri, seen, wanted):
    """The names that a line takes out of a file, as `name` and `name as other`."""
    taken = {}
    for one in wanted.split(","):
        aliased = ALIAS.fullmatch(one.strip())
        name, alias = (part.strip() for part in (aliased.groups() if aliased else (one, one)))
        if name not in seen:
            raise _NoImport("'{}' was not found in '{}'".format(name, uri))
        taken[alias] = seen[name]
    return taken


class _Imported:
    """A file that is imported under its name."""

    def __init__(self, name, names):
        self.__dict__ = names
        self.__dict__["__name__"] = name


class _Functions:
    """The functions of a state module, of which one is looked up when it is used."""

    def __init__(self, module):
        self._module = module

    def __contains__(self, name):
        return "{}.{}".format(self._module, name) in __states__


def _capitals(tree):
    """Names that begin as those of state modules do: which a file uses, and which it makes itself."""
    nodes = list(ast.walk(tree))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made.update(node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef)))
    made.update((node.asname or node.name).partition(".")[0] for node in nodes if isinstance(node, ast.alias))
    made.update(node.arg for node in nodes if isinstance(node, ast.arg))
    return {name for name in used if re.fullmatch("[A-Z][A-Za-z0-9]*", name)}, made


def _module(name):
    """The state module that a name stands for: `VirtualenvMod` is virtualenv_mod."""
    words = "_".join(part.lower() for part in re.findall("[A-Z][a-z0-9]*", name))
    return words if words + "." in __states__ else None


def _modules():
    """All state modules, by the names that files have for them."""
    found = dict.fromkeys(name.partition(".")[0] for name in __states__.keys())
    return {"".join(part.capitalize() for part in module.split("_")): module for module in found}
