/** `ldap`: entries of a directory and their attributes (3006.16 salt/states/ldap.py). */
import { ArgumentError, CommandExecutionError } from '../../errors/errors.ts';
import type { DirectoryEditor } from '../../network/ldap/editor.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { searchEntries } from './ldap3.module.ts';
import { attributesOf, changesBetween, hasSameValues, valuesOf } from './module/changes.ts';
import { asSaltSays, LDAP_ERROR, withConnection } from './module/connection.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** An entry's values by their attributes; none: there is no such entry. */
type Entry = Map<string, Uint8Array[]>;

/** The entries as they are, and as they shall be, by their names. */
interface Views {
  readonly old: Map<string, Entry>;
  readonly new: Map<string, Entry>;
}

const textOf = (value: Uint8Array): string => Buffer.from(value).toString('latin1');

/** Values without doubles, in their order. */
function asSet(values: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(values.map((value) => [textOf(value), value])).values()];
}

const itemsOf = (value: Value): Value[] => (Array.isArray(value) ? value : value === null ? [] : [value]);

function pairsOf(value: Value): [Value, Value][] {
  if (isDict(value)) return [...value];
  throw new ArgumentError(`'${pyTypeName(value)}' object has no attribute 'items'`);
}

async function readViews(editor: DirectoryEditor, entries: Value[]): Promise<Views> {
  const views: Views = { old: new Map(), new: new Map() };
  for (const group of entries)
    for (const [name, directives] of pairsOf(group)) {
      const dn = pyStr(name);
      let before = views.new.get(dn);
      if (before === undefined) {
        before = await readEntry(editor, dn);
        views.old.set(dn, before);
      }
      views.new.set(dn, entryAfter(before, itemsOf(directives)));
    }
  return views;
}

async function readEntry(editor: DirectoryEditor, dn: string): Promise<Entry> {
  const wanted = { base: dn, scope: 'base', filterstr: '(objectClass=*)', attrlist: [], attrsonly: false };
  const found = await searchEntries(editor, wanted);
  // a server may write the name in another way
  const [values] = found.values();
  if (values === undefined) return new Map();
  return new Map([...attributesOf(values, false)].filter(([, list]) => list.length > 0));
}

/** What directives make of an entry. */
function entryAfter(before: Entry, directives: readonly Value[]): Entry {
  const entry: Entry = new Map(before);
  const mentioned = new Set<string>();
  let isOnlyThat = false;
  for (const [directive, state] of directives.flatMap(pairsOf)) {
    if (directive === 'delete_others') {
      isOnlyThat = truthy(state);
      continue;
    }
    for (const [attribute, given] of pairsOf(state)) {
      const name = pyStr(attribute);
      mentioned.add(name);
      applyDirective(entry, pyStr(directive), name, asSet(given === null ? [] : valuesOf(given)));
    }
  }
  if (isOnlyThat) for (const name of [...entry.keys()]) if (!mentioned.has(name)) entry.delete(name);
  return entry;
}

function applyDirective(entry: Entry, directive: string, name: string, values: Uint8Array[]): void {
  const now = entry.get(name) ?? [];
  if (directive === 'default') {
    if (values.length > 0 && now.length === 0) entry.set(name, values);
  } else if (directive === 'add') {
    const all = asSet([...values, ...now]);
    if (all.length > 0) entry.set(name, all);
  } else if (directive === 'delete') {
    const gone = new Set(values.map(textOf));
    const left = values.length === 0 ? [] : now.filter((value) => !gone.has(textOf(value)));
    if (left.length > 0) entry.set(name, left);
    else entry.delete(name);
  } else if (directive === 'replace') {
    entry.delete(name);
    if (values.length > 0) entry.set(name, values);
  } else throw new PythonError('ValueError', `unknown directive: ${directive}`);
}

/** Salt compat: other than there, values in another order are the same; no change could bring them into it. */
function isSameEntry(one: Entry, other: Entry): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, values]) => hasSameValues(values, other.get(name) ?? []))
  );
}

/** What of an entry differs from another one; None for one that is not. */
function shown(entry: Entry, other: Entry): Value {
  if (entry.size === 0) return null;
  const differing = [...entry].filter(([name, values]) => !hasSameValues(values, other.get(name) ?? []));
  return new Map(
    differing.map(([name, values]): [Value, Value] => [
      name,
      [...values].sort((one, next) => Buffer.compare(one, next)),
    ]),
  );
}

/** One change: makes, changes or deletes an entry. @returns what went wrong */
async function change(
  editor: DirectoryEditor,
  dn: string,
  old: Entry,
  wanted: Entry,
): Promise<string | undefined> {
  const operation = old.size === 0 ? 'add' : wanted.size === 0 ? 'delete' : 'modify';
  try {
    await asSaltSays(() => {
      if (operation === 'add') return editor.add(dn, attributesOf(asValues(wanted), true));
      if (operation === 'delete') return editor.delete(dn);
      return editor.modify(dn, changesBetween(old, attributesOf(asValues(wanted), true)));
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof PythonError) || error.type !== LDAP_ERROR) throw error;
    return `${operation} entry ${dn}(${error.message})`;
  }
}

const asValues = (entry: Entry): Dict =>
  new Map([...entry].map(([name, values]): [Value, Value] => [name, values]));

async function managed(
  ctx: StateContext,
  name: string,
  entries: Value[],
  editor: DirectoryEditor,
): Promise<StateResult> {
  const views = await readViews(editor, entries);
  const differing = [...views.new.keys()].filter(
    (dn) => !isSameEntry(views.old.get(dn) ?? new Map(), views.new.get(dn) ?? new Map()),
  );
  if (differing.length === 0) return outcome(name, true, 'LDAP entries already set');
  const changes: Dict = dict();
  const failures: string[] = [];
  for (const dn of differing) {
    const [old, wanted] = [views.old.get(dn) ?? new Map(), views.new.get(dn) ?? new Map()] as const;
    const failure = ctx.state.test ? undefined : await change(editor, dn, old, wanted);
    if (failure !== undefined) failures.push(failure);
    else changes.set(dn, dict({ old: shown(old, wanted), new: shown(wanted, old) }));
  }
  if (ctx.state.test) return outcome(name, null, 'Would change LDAP entries', changes);
  if (failures.length === 0) return outcome(name, true, 'Successfully updated LDAP entries', changes);
  return outcome(name, false, `failed to ${failures.join(', ')}`, changes);
}

const DIRECTIVES = new Set(['delete_others', 'default', 'add', 'delete', 'replace']);

/** Why entries can never be right. Salt compat: there, each is a traceback. */
function entriesRefusal(entries: readonly Value[]): string | undefined {
  for (const group of entries) {
    if (!isDict(group))
      return `entries must be a list of mappings of names to lists of directives, not ${pyRepr(group)}`;
    for (const [dn, directives] of group)
      for (const directive of itemsOf(directives)) {
        if (!isDict(directive))
          return `The directives of ${pyStr(dn)} must be a list of mappings, not of ${pyTypeName(directive)}`;
        for (const [name, state] of directive) {
          if (typeof name !== 'string' || !DIRECTIVES.has(name))
            return `${pyRepr(name)} is no directive of ${pyStr(dn)}: there are ${[...DIRECTIVES].join(', ')}`;
          if (name !== 'delete_others' && !isDict(state))
            return `The directive ${name} of ${pyStr(dn)} must be a mapping of attributes to values`;
        }
      }
  }
  return undefined;
}

/** A failure of the server, or of the way to it, is the comment. Salt compat: there, it is a traceback. */
async function orFailure(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    const isTold =
      error instanceof CommandExecutionError || (error instanceof PythonError && error.type === LDAP_ERROR);
    if (!isTold) throw error;
    return outcome(name, false, error.message);
  }
}

function specOf(given: Value): Dict {
  if (given === null) return dict();
  if (isDict(given)) return given;
  throw new ArgumentError(`'${pyTypeName(given)}' object is no connection`);
}

/** The states of `ldap`. */
export const ldapStates = defineModule({
  name: 'ldap',
  file: 'ldap',
  doc: 'Entries of a directory and their attributes.',
  functions: {
    managed: defineState({
      doc: 'Makes sure that entries are there or not, and what their attributes are.',
      params: {
        name: param.text({ doc: 'The address of the server.' }),
        entries: param.by(itemsOf, {
          type: 'list',
          doc: 'Mappings of names of entries to lists of directives: delete_others, default, add, delete, replace.',
        }),
        connect_spec: param.by(specOf, {
          type: 'dict',
          default: null,
          doc: 'As `ldap3.connect` takes it; without a url it is the name.',
        }),
      },
      refuses: ({ entries }) => entriesRefusal(entries),
      run: (ctx, { name, entries, connect_spec }) => {
        const spec = connect_spec.has('url')
          ? connect_spec
          : new Map([...connect_spec, ['url', name] as [Value, Value]]);
        return orFailure(name, () => withConnection(spec, (editor) => managed(ctx, name, entries, editor)));
      },
    }),
  },
});
