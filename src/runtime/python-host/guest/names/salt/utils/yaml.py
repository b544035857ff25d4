"""YAML, by the package PyYAML where it is installed."""

import collections

import yaml
from yaml import YAMLError  # noqa: F401
from yaml.constructor import ConstructorError

scanner, parser, nodes = yaml.scanner, yaml.parser, yaml.nodes


class SaltYamlSafeLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses keys that stand twice."""

    def __init__(self, stream, dictclass=dict):
        super().__init__(stream)
        self.dictclass = dictclass

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        found = self.dictclass()
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=deep)
            try:
                hash(key)
            except TypeError:
                message = "found unacceptable key {}".format(key_node.value)
                raise ConstructorError("while constructing a mapping", node.start_mark, message, key_node.start_mark) from None
            if key in found:
                message = "found conflicting ID '{}'".format(key)
                raise ConstructorError("while constructing a mapping", node.start_mark, message, key_node.start_mark)
            found[key] = self.construct_object(value_node, deep=deep)
        return found

    def construct_yaml_map(self, node):
        found = self.dictclass()
        yield found
        found.update(self.construct_mapping(node))

    def construct_scalar(self, node):
        # an octal number with leading zeros is decimal, as file modes are written
        if node.tag == "tag:yaml.org,2002:int" and node.value.startswith("0") and "b" not in node.value and "x" not in node.value:
            node.value = node.value.lstrip("0") or "0"
        return super().construct_scalar(node)

    def construct_yaml_str(self, node):
        return self.construct_scalar(node)


SaltYamlSafeLoader.add_constructor("tag:yaml.org,2002:map", SaltYamlSafeLoader.construct_yaml_map)
SaltYamlSafeLoader.add_constructor("tag:yaml.org,2002:omap", SaltYamlSafeLoader.construct_yaml_map)
SaltYamlSafeLoader.add_constructor("tag:yaml.org,2002:str", SaltYamlSafeLoader.construct_yaml_str)
SaltYamlSafeLoader.add_constructor("tag:yaml.org,2002:python/unicode", SaltYamlSafeLoader.construct_yaml_str)
SaltYamlSafeLoader.add_constructor("tag:yaml.org,2002:timestamp", SaltYamlSafeLoader.construct_yaml_str)
EncryptedString = str


class IndentMixin(yaml.Dumper):
    """Lists below a key are indented."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)


class OrderedDumper(yaml.Dumper):
    """Writes ordered mappings as mappings."""


class SafeOrderedDumper(yaml.SafeDumper):
    """The same for plain data."""


class IndentedSafeOrderedDumper(IndentMixin, SafeOrderedDumper):
    """The same with indented lists."""


def _mapping(dumper, data):
    return dumper.represent_dict(list(data.items()))


for _dumper in (OrderedDumper, SafeOrderedDumper):
    for _class in (collections.OrderedDict, collections.defaultdict):
        _dumper.add_representer(_class, _mapping)


def get_dumper(dumper_name):
    known = {"OrderedDumper": OrderedDumper, "SafeOrderedDumper": SafeOrderedDumper, "IndentedSafeOrderedDumper": IndentedSafeOrderedDumper}
    return known[dumper_name]


def load(stream, Loader=SaltYamlSafeLoader):
    return yaml.load(stream, Loader=Loader)


def safe_load(stream, Loader=SaltYamlSafeLoader):
    return yaml.load(stream, Loader=Loader)


def dump(data, stream=None, **kwargs):
    kwargs.setdefault("allow_unicode", True)
    kwargs.setdefault("default_flow_style", None)
    return _without_end(yaml.dump(data, stream, **kwargs))


def safe_dump(data, stream=None, **kwargs):
    kwargs.setdefault("allow_unicode", True)
    kwargs.setdefault("default_flow_style", None)
    return _without_end(yaml.dump(data, stream, Dumper=SafeOrderedDumper, **kwargs))


def _without_end(text):
    """The text of a value that is no container, without the mark behind it."""
    return text[:-4] if text and text.endswith("\n...\n") else text
