/** `ini`: options and sections of ini files (3006.16 salt/states/ini_manage.py). */
import { defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import {
  Announcement,
  callIni,
  promised,
  readIniFile,
  withFailures,
  type IniFile,
} from './state/file-changes.ts';
import { announceOptionsPresent, applyOptionsPresent } from './state/options-present.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const NOTHING = 'No anomaly detected';
const NO_CHANGES = 'No changes detected.';

const NAME = param.text({ isLine: true, doc: 'The path of the file.' });
const STYLE = {
  separator: param.value({ default: '=', type: 'str', doc: 'What stands between an option and its value.' }),
  encoding: param.value({ default: null, type: 'str', doc: 'The encoding of the file; UTF-8 without it.' }),
} as const;

/** Names: those of a list, the keys of a mapping, or one. Salt compat: Salt takes the letters of a text for names. */
function namesOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  return isDict(value) ? [...value.keys()] : [pyStr(value)];
}

/** Reads sections with what they hold. */
function sectionsIn(value: Value): [Value, Value][] {
  if (!truthy(value)) return [];
  if (isDict(value)) return [...value];
  throw new PythonError('AttributeError', `'${pyTypeName(value)}' object has no attribute 'items'`);
}

async function announceOptionsAbsent(
  ctx: StateContext,
  file: IniFile,
  sections: [Value, Value][],
): Promise<StateResult> {
  const said = new Announcement();
  for (const [section, keys] of sections) {
    if (keys === null) {
      const value = await callIni(ctx, file, 'get_option', { section: null, option: section });
      if (truthy(value)) said.change(`Deleted key ${pyStr(section)}.`);
      else said.note(`Key ${pyStr(section)} does not exist.`);
      continue;
    }
    const current = (await callIni(ctx, file, 'get_section', { section })) as Dict;
    const where = truthy(section) ? ` in section ${pyStr(section)}` : '';
    for (const key of namesOf(keys))
      if (truthy(current.get(key))) said.change(`Deleted key ${pyStr(key)}${where}.`);
      else said.note(`Key ${pyStr(key)}${where} does not exist.`);
  }
  return said.result(file.name, NO_CHANGES);
}

async function removeOptions(
  ctx: StateContext,
  file: IniFile,
  sections: [Value, Value][],
): Promise<StateResult> {
  const changes: Dict = new Map();
  for (const [section, keys] of sections) {
    // without names it is itself an option before all sections
    const [place, names] = keys === null ? [null, [section]] : [section, namesOf(keys)];
    for (const key of names) {
      const value = await callIni(ctx, file, 'remove_option', { section: place, option: key });
      if (!truthy(value)) continue;
      const inner = changes.get(section);
      changes.set(section, place === null ? value : new Map([...(isDict(inner) ? inner : []), [key, value]]));
    }
  }
  return outcome(file.name, true, changes.size > 0 ? 'Changes take effect' : NOTHING, changes);
}

/** What test mode says about sections. */
async function announceSections(
  ctx: StateContext,
  file: IniFile,
  sections: Value[],
  say: (said: Announcement, section: Value, isThere: boolean) => void,
): Promise<StateResult> {
  const said = new Announcement();
  const current = await readIniFile(ctx, file);
  for (const section of sections) say(said, section, current.has(section));
  return said.result(file.name, NO_CHANGES);
}

const optionsPresent = defineState({
  doc: 'Makes sure that options have their values; sections and files that are not there are made.',
  params: {
    name: NAME,
    sections: param.by(sectionsIn, {
      default: null,
      type: 'dict',
      isLine: true,
      doc: 'Sections with their options; options at this level stand before all sections.',
    }),
    separator: STYLE.separator,
    strict: param.flag({
      default: false,
      doc: 'Options of the named sections, and those before all sections, that are not named are removed.',
    }),
    encoding: STYLE.encoding,
    no_spaces: param.flag({ default: false, doc: 'No blanks around the separator.' }),
  },
  examples: ['sections: {mysqld: {port: 3306}}'],
  run: (ctx, { name, sections, separator, encoding, strict, no_spaces }) => {
    const wanted = {
      ...{ name, separator, encoding, noSpaces: no_spaces, strict },
      sections: new Map(sections),
    };
    return withFailures(name, async () =>
      ctx.state.test
        ? promised(ctx, await announceOptionsPresent(ctx, wanted), name)
        : applyOptionsPresent(ctx, wanted),
    );
  },
});

const optionsAbsent = defineState({
  doc: 'Makes sure that options are not there.',
  params: {
    name: NAME,
    sections: param.by(sectionsIn, {
      default: null,
      type: 'dict',
      isLine: true,
      doc: 'Sections with lists of their options.',
    }),
    ...STYLE,
  },
  run: (ctx, { name, sections, separator, encoding }) => {
    const file = { name, separator, encoding };
    return withFailures(name, () =>
      ctx.state.test ? announceOptionsAbsent(ctx, file, sections) : removeOptions(ctx, file, sections),
    );
  },
});

const SECTIONS = param.by((value) => (truthy(value) ? namesOf(value) : []), {
  default: null,
  type: 'list or dict',
  isLine: true,
  doc: 'The names of the sections.',
});

/** What a state about whole sections does. */
interface SectionsWork {
  readonly doc: string;
  /** Tells, in test mode, of a section that is there or not. */
  announce(said: Announcement, section: Value, isThere: boolean): void;
  apply(
    ctx: StateContext,
    file: IniFile,
    sections: readonly Value[],
  ): Promise<{ comment: string; changes: Dict }>;
}

function sectionsState({ doc, announce, apply }: SectionsWork): FunctionSpec {
  return defineState({
    doc,
    params: { name: NAME, sections: SECTIONS, ...STYLE },
    run: (ctx, { name, sections, separator, encoding }) => {
      const file = { name, separator, encoding };
      return withFailures(name, async () => {
        if (ctx.state.test) return promised(ctx, await announceSections(ctx, file, sections, announce), name);
        const { comment, changes } = await apply(ctx, file, sections);
        return outcome(name, true, comment, changes);
      });
    },
  });
}

const sectionsPresent = sectionsState({
  doc: 'Makes sure that sections are there.',
  announce: (said, section, isThere) => {
    if (isThere) said.note(`Section unchanged ${pyStr(section)}.`);
    else said.change(`Created new section ${pyStr(section)}.`);
  },
  apply: async (ctx, file, names) => {
    const wanted = new Map(names.map((section): [Value, Value] => [section, new Map()]));
    const changes = await callIni(ctx, file, 'set_option', { sections: wanted });
    return { comment: 'Changes take effect', changes: isDict(changes) ? changes : dict() };
  },
});

const sectionsAbsent = sectionsState({
  doc: 'Makes sure that sections are not there.',
  announce: (said, section, isThere) => {
    if (isThere) said.change(`Deleted section ${pyStr(section)}.`);
    else said.note(`Section ${pyStr(section)} does not exist.`);
  },
  apply: async (ctx, file, names) => {
    const changes: Dict = new Map();
    for (const section of names) {
      const removed = await callIni(ctx, file, 'remove_section', { section });
      if (truthy(removed)) changes.set(section, removed);
    }
    return { comment: changes.size > 0 ? 'Changes take effect' : NOTHING, changes };
  },
});

/** The states of `ini`. */
export const iniStates = defineModule({
  name: 'ini',
  file: 'ini_manage',
  doc: 'Options and sections of ini files; comments and order are kept.',
  functions: {
    options_present: optionsPresent,
    options_absent: optionsAbsent,
    sections_present: sectionsPresent,
    sections_absent: sectionsAbsent,
  },
});
