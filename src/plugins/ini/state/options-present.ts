/** `ini.options_present` (3006.16 salt/states/ini_manage.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { isSameOption } from '../module/section.ts';
import { outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { Announcement, callIni, readIniFile, type IniFile } from './file-changes.ts';

/** What is wanted of a file. */
export interface WantedOptions extends IniFile {
  readonly sections: Dict;
  readonly strict: boolean;
  readonly noSpaces: Value;
}

/** The options before all sections. */
const topLevel = (all: Dict): Dict => new Map([...all].filter(([, value]) => !isDict(value)));
const sectionsOf = (all: Dict): [Value, Dict][] =>
  [...all].filter((entry): entry is [Value, Dict] => isDict(entry[1]));
const inSection = (section: Value): string => (truthy(section) ? ` in section ${pyStr(section)}` : '');

/** What is there and not wanted. A file has texts where SLS may have numbers. */
function surplus(current: Value | undefined, wanted: Dict): [Value, Value][] {
  const names = new Set([...wanted.keys()].map(pyStr));
  return isDict(current) ? [...current].filter(([key]) => !names.has(pyStr(key))) : [];
}

/** The sections that go with `strict`. Salt compat: 3006.16 leaves them, against its own documents. */
function lostSections({ sections, strict }: WantedOptions, current: Dict): [Value, Value][] {
  return strict ? surplus(new Map(sectionsOf(current)), new Map(sectionsOf(sections))) : [];
}

function announceOptions(said: Announcement, current: Value | undefined, wanted: Dict, where = ''): void {
  for (const [option, value] of wanted) {
    const now = isDict(current) ? current.get(option) : undefined;
    if (now !== undefined && isSameOption(pyStr(now), pyStr(value)))
      said.note(`Unchanged key ${pyStr(option)}${where}.`);
    else said.change(`Changed key ${pyStr(option)}${where}.`);
  }
}

/** What test mode says. */
export async function announceOptionsPresent(ctx: StateContext, wanted: WantedOptions): Promise<StateResult> {
  const said = new Announcement();
  if (wanted.sections.size === 0) return said.result(wanted.name);
  const current = await readIniFile(ctx, wanted);
  const options = topLevel(wanted.sections);
  announceOptions(said, topLevel(current), options);
  if (wanted.strict)
    for (const [option] of surplus(topLevel(current), options)) said.change(`Removed key ${pyStr(option)}.`);
  for (const [section, body] of sectionsOf(wanted.sections)) {
    const now = current.get(section);
    if (wanted.strict)
      for (const [option] of surplus(now, body))
        said.change(`Deleted key ${pyStr(option)}${inSection(section)}.`);
    announceOptions(said, now, body, inSection(section));
  }
  for (const [section] of lostSections(wanted, current)) said.change(`Removed section ${pyStr(section)}.`);
  return said.result(wanted.name);
}

/** Changes one section. @returns what was changed */
async function applySection(
  ctx: StateContext,
  wanted: WantedOptions,
  { section, body, now }: { section: Value; body: Dict; now: Value | undefined },
): Promise<Dict> {
  const changes: Dict = new Map();
  for (const [option, before] of wanted.strict ? surplus(now, body) : []) {
    await callIni(ctx, wanted, 'remove_option', { section, option });
    changes.set(option, dict({ before, after: null }));
  }
  const updated = await callIni(ctx, wanted, 'set_option', {
    sections: new Map([[section, body]]),
    no_spaces: wanted.noSpaces,
  });
  const inner = isDict(updated) ? updated.get(section) : undefined;
  return isDict(inner) ? new Map([...changes, ...inner]) : changes;
}

/** Changes the file. */
export async function applyOptionsPresent(ctx: StateContext, wanted: WantedOptions): Promise<StateResult> {
  const { name, sections, noSpaces } = wanted;
  const changes: Dict = new Map();
  const note = (more: Value): void => {
    if (isDict(more)) for (const [key, value] of more) changes.set(key, value);
  };
  if (sections.size === 0) {
    note(await callIni(ctx, wanted, 'set_option', { sections, no_spaces: noSpaces }));
  } else {
    const current = await readIniFile(ctx, wanted);
    const options = topLevel(sections);
    note(await callIni(ctx, wanted, 'set_option', { sections: options, no_spaces: noSpaces }));
    for (const [option, before] of wanted.strict ? surplus(topLevel(current), options) : []) {
      await callIni(ctx, wanted, 'remove_option', { section: null, option });
      changes.set(option, dict({ before, after: null }));
    }
    for (const [section, body] of sectionsOf(sections)) {
      const made = await applySection(ctx, wanted, { section, body, now: current.get(section) });
      if (made.size > 0) changes.set(section, made);
    }
    for (const [section, before] of lostSections(wanted, current)) {
      await callIni(ctx, wanted, 'remove_section', { section });
      changes.set(section, dict({ before, after: null }));
    }
  }
  if (changes.has('error'))
    return outcome(name, false, `Errors encountered. ${pyStr(changes.get('error') ?? null)}`);
  return outcome(name, true, changes.size > 0 ? 'Changes take effect' : 'No anomaly detected', changes);
}
