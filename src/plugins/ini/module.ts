/** `ini`: options in ini files. Follows 3006.16 salt/modules/ini_manage.py. */
import { isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { pathExists } from '../../python/paths.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { splitLines } from '../../python/values/text.ts';
import { decodeText, encodeText } from '../shared/encode-text.ts';
import { IniSection } from './module/section.ts';
import { noPath, param } from '../../runtime/loader/params.ts';

/** How a file is written. */
interface IniStyle {
  readonly separator: string;
  readonly encoding: string | undefined;
  readonly no_spaces?: boolean;
}

const SECTION_HEAD = /^\s*\[(.+?)\]\s*$/m;

const encodingOf = ({ encoding }: IniStyle): string => encoding ?? 'utf-8';

/** Reads a file; one that is not there is empty. */
function readIni(file: string, style: IniStyle): IniSection {
  const top = new IniSection(file, style.separator, style.no_spaces === true);
  const text = contentOf(file, style);
  const [head = '', ...rest] = text === '' ? [] : text.split(SECTION_HEAD);
  top.read(head);
  for (let i = 0; i + 1 < rest.length; i += 2) top.readSection(rest[i] ?? '', rest[i + 1] ?? '');
  return top;
}

function contentOf(file: string, style: IniStyle): string {
  if (!pathExists(file)) return '';
  try {
    return splitLines(decodeText(readBytes(file), encodingOf(style))).join('\n');
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Unable to open file '${file}'. Exception: ${osErrorText(error)}`);
  }
}

function writeIni(file: string, top: IniSection, style: IniStyle): void {
  const [first = '', ...lines] = top.lines();
  const text = [first.replace(/^\n+/, ''), ...lines].join('');
  try {
    writeInPlace(file, encodeText(text, encodingOf(style)));
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Unable to write file '${file}'. Exception: ${osErrorText(error)}`);
  }
}

/** What Python says when an option is asked for as a section. */
function noSection(): never {
  throw new PythonError('AttributeError', "'str' object has no attribute 'items'");
}

/** @throws PythonError (AttributeError) for what is neither a mapping nor nothing */
function sectionsOf(value: Value): Dict {
  if (isDict(value)) return value;
  if (!truthy(value)) return new Map();
  throw new PythonError('AttributeError', `'${pyTypeName(value)}' object has no attribute 'items'`);
}

const CHANGED_FILE = param.textOnly(noPath, { doc: 'The path of the file.' });
const FILE = param.text({ doc: 'The path of the file.' });
const SECTION = param.text({
  doc: 'The name of the section; None or empty for options that stand before all sections.',
});
const OPTION = param.text({ doc: 'The name of the option.' });
const STYLE = {
  separator: param.text({ default: '=', doc: 'What stands between an option and its value.' }),
  encoding: param.textOrNone({ default: null, doc: 'The encoding of the file; UTF-8 without it.' }),
} as const;

const change = {
  set_option: defineFunction({
    doc: 'Sets options; files, sections and options that are not there are made.',
    params: {
      file_name: CHANGED_FILE,
      sections: param.by(sectionsOf, {
        default: null,
        type: 'dict',
        doc: 'Sections with their options; options at this level stand before all sections.',
      }),
      ...STYLE,
      no_spaces: param.flag({ default: false, doc: 'No blanks around the separator.' }),
    },
    returns: 'mapping of what was changed, by section and option, to its value before and after',
    examples: [`salt '*' ini.set_option /path/to/file '{section_foo: {key: value}}'`],
    run: (_ctx, { file_name, sections, ...style }) => {
      const file = file_name;
      const top = readIni(file, style);
      const changes = top.update(sections);
      writeIni(file, top, style);
      return changes;
    },
  }),
  remove_option: defineFunction({
    doc: 'Removes an option.',
    params: {
      file_name: CHANGED_FILE,
      section: param.textOrNone({ doc: SECTION.doc }),
      option: OPTION,
      ...STYLE,
    },
    returns: 'the value it had; None when it was not there',
    examples: ["salt '*' ini.remove_option /path/to/file section_foo key"],
    run: (_ctx, { file_name, section, option, ...style }) => {
      const file = file_name;
      const top = readIni(file, style);
      const found = section === undefined ? undefined : top.entries.get(section);
      // Salt compat: without such a section, the option is taken away from before all sections.
      const place = found instanceof IniSection ? found : top;
      const entry = place.entries.get(option);
      const isGone = place.entries.delete(option);
      // Salt compat: Salt makes a file that is not there
      if (isGone || pathExists(file)) writeIni(file, top, style);
      return entry instanceof IniSection ? entry.toDict(true) : (entry ?? null);
    },
  }),
  remove_section: defineFunction({
    doc: 'Removes a section with all that it holds.',
    params: { file_name: FILE, section: SECTION, ...STYLE },
    returns: 'the options it had; None when it was not there',
    examples: ["salt '*' ini.remove_section /path/to/file section_foo"],
    run: (_ctx, { file_name, section, ...style }) => {
      const file = file_name;
      const top = readIni(file, style);
      const found = top.entries.get(section);
      if (found === undefined) return null;
      top.entries.delete(section);
      writeIni(file, top, style);
      return found instanceof IniSection ? found.toDict() : noSection();
    },
  }),
};

const look = {
  get_option: defineFunction({
    doc: 'Gives the value of an option.',
    params: { file_name: FILE, section: param.textIfGiven({ doc: SECTION.doc }), option: OPTION, ...STYLE },
    returns: 'its value; None when it is not there',
    examples: ["salt '*' ini.get_option /path/to/file section_foo key"],
    run: (_ctx, { file_name, section, option, ...style }) => {
      const top = readIni(file_name, style);
      const place = section !== undefined ? top.entries.get(section) : top;
      const entry = place instanceof IniSection ? place.entries.get(option) : undefined;
      return entry instanceof IniSection ? entry.toDict(true) : (entry ?? null);
    },
  }),
  get_section: defineFunction({
    doc: 'Gives the options of a section.',
    params: { file_name: FILE, section: SECTION, ...STYLE },
    returns: 'mapping of option to value',
    examples: ["salt '*' ini.get_section /path/to/file section_foo"],
    run: (_ctx, { file_name, section, ...style }): Dict => {
      const found = readIni(file_name, style).entries.get(section);
      if (found === undefined) return new Map();
      return found instanceof IniSection ? found.toDict() : noSection();
    },
  }),
  get_ini: defineFunction({
    doc: 'Gives all of a file.',
    params: { file_name: FILE, ...STYLE },
    returns: 'mapping of options, and of sections to their options',
    examples: ["salt '*' ini.get_ini /path/to/file"],
    run: (_ctx, { file_name, ...style }) => readIni(file_name, style).toDict(),
  }),
};

/** The module. */
export const iniModule = defineModule({
  name: 'ini',
  file: 'ini_manage',
  doc: 'Reads and changes options in ini files; comments and order are kept.',
  words: { dashes: 'any' },
  functions: { ...change, ...look },
});
