"""XML as mappings."""


def to_dict(xmltree, attr=False):
    """The children of an element by their tags, several of a tag as a list; with `attr` also the attributes."""
    if len(xmltree) == 0:
        if attr and xmltree.attrib:
            return dict(xmltree.attrib, **({_name(xmltree.tag): xmltree.text} if xmltree.text else {}))
        return {_name(xmltree.tag): xmltree.text}
    found = dict(xmltree.attrib) if attr else {}
    for child in xmltree:
        name = _name(child.tag)
        value = to_dict(child, attr) if len(child) or (attr and child.attrib) else child.text
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found


def _name(tag):
    return tag.rpartition("}")[2]


def get_xml_node(node, xpath):
    found = node.find(xpath)
    return found
