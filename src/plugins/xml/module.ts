/**
 * `xml`: values and attributes in files of XML. Follows 3006.16 salt/modules/xml.py, with `xml.etree.ElementTree` below
 * it.
 */
import { ArgumentError } from '../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { findElement } from '../../formats/xml/element-path.ts';
import { XmlError } from '../../formats/xml/tokens.ts';
import { parseTree, writeTree, type TreeElement } from '../../formats/xml/tree.ts';
import { PythonError } from '../../python/exceptions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';

const WHERE = {
  file: param.text({ doc: 'The file.' }),
  element: param.text({
    doc: "The path to the element, in ElementTree's part of XPath: .//element[@id='3'].",
  }),
} as const;

/** A file of XML, and the element in it that a path leads to. */
interface Found {
  readonly root: TreeElement;
  readonly element: TreeElement | undefined;
}

function find(file: string, path: string): Found {
  const bytes = readBytes(file);
  const [, encoding = 'utf-8'] =
    /^<\?xml[^>]*?encoding=["']([\w.-]+)/.exec(bytes.toString('latin1', 0, 200)) ?? [];
  try {
    const root = parseTree(new TextDecoder(encoding, { fatal: true }).decode(bytes));
    return { root, element: findElement(root, path) };
  } catch (error) {
    if (error instanceof XmlError || error instanceof TypeError || error instanceof RangeError)
      throw new PythonError('xml.etree.ElementTree.ParseError', error.message);
    throw error;
  }
}

function lookUp(ctx: ModuleContext, file: string, path: string): TreeElement | undefined {
  const { element } = find(file, path);
  if (element === undefined) ctx.log.error(`Unable to find element matching ${path}`);
  return element;
}

/** Changes an element and writes the file. @param attribute of an element, for Python's sentence about None */
function change(
  file: string,
  path: string,
  attribute: string,
  edit: (element: TreeElement) => void,
): boolean {
  const { root, element } = find(file, path);
  if (element === undefined)
    throw new PythonError('AttributeError', `'NoneType' object has no attribute '${attribute}'`);
  edit(element);
  writeInPlace(file, writeTree(root));
  return true;
}

/** The module. */
export const xmlModule = defineModule({
  name: 'xml',
  file: 'xml',
  doc: 'Values and attributes in files of XML. A file that is written loses its comments, as with Salt.',
  functions: {
    get_value: defineFunction({
      doc: 'Returns the text of an element.',
      params: WHERE,
      returns: 'the text, None where it has none; false without such an element',
      examples: ['salt \'*\' xml.get_value /tmp/test.xml ".//element"'],
      run: (ctx, { file, element }) => {
        const found = lookUp(ctx, file, element);
        return found === undefined ? false : (found.text ?? null);
      },
    }),
    set_value: defineFunction({
      doc: 'Sets the text of an element.',
      params: { ...WHERE, value: param.text({ doc: 'The text.' }) },
      returns: 'true',
      examples: ['salt \'*\' xml.set_value /tmp/test.xml ".//element" "new value"'],
      run: (_ctx, { file, element, value }) =>
        change(file, element, 'text', (found) => {
          found.text = value;
        }),
    }),
    get_attribute: defineFunction({
      doc: 'Returns the attributes of an element.',
      params: WHERE,
      returns: 'mapping of names to texts; false without such an element',
      examples: [`salt '*' xml.get_attribute /tmp/test.xml ".//element[@id='3']"`],
      run: (ctx, { file, element }) => {
        const found = lookUp(ctx, file, element);
        return found === undefined ? false : new Map(found.attributes);
      },
    }),
    set_attribute: defineFunction({
      doc: 'Sets an attribute of an element.',
      params: {
        ...WHERE,
        key: param.text({ doc: 'The attribute.' }),
        value: param.text({ doc: 'Its text.' }),
      },
      returns: 'true',
      examples: [`salt '*' xml.set_attribute /tmp/test.xml ".//element[@id='3']" editedby "gal"`],
      run: (_ctx, { file, element, key, value }) => {
        if (!/^(\{[^{}]*\})?[\p{L}_:][\p{L}\p{N}_.:-]*$/u.test(key))
          throw new ArgumentError(`${key} cannot be the name of an attribute`);
        return change(file, element, 'set', (found) => found.attributes.set(key, value));
      },
    }),
  },
});
