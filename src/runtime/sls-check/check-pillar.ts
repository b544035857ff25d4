/**
 * Trees of pillar: the form of files and includes, and keys that are left empty and wipe what an earlier file gives.
 */
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { readPillarInclude } from '../pillar/includes.ts';
import { together, type Assignment } from './check-top.ts';
import { fullName, type SlsTree } from './includes.ts';
import type { Step } from './positions.ts';
import type { RenderedSource } from './render-source.ts';

/** @param assignments what the top files of the tree assign, in their order */
export function checkPillar(tree: SlsTree, assignments: readonly Assignment[]): void {
  for (const one of tree.files.values()) {
    if (one.value === undefined) continue;
    tree.check(one);
    if (isDict(one.value)) checkIncludes(one, one.value);
    else if (truthy(one.value)) one.tell('wrong-shape', { path: [] }, 'A file of pillar is a mapping.');
  }
  for (const names of together(assignments)) checkEmptyKeys(inOrder(tree, names));
}

function checkIncludes(rendered: RenderedSource, value: Dict): void {
  const list = value.get('include');
  if (list === undefined) return;
  if (!Array.isArray(list)) {
    rendered.tell('wrong-shape', { path: ['include'] }, 'What is under include has to be a list.');
    return;
  }
  for (const [index, item] of list.entries())
    readPillarInclude(item, (text) =>
      rendered.tell('wrong-shape', { path: ['include', index] }, `The include ${text}`),
    );
}

/** The files that are merged, each after what it includes; what is included under a key stands elsewhere. */
function inOrder(tree: SlsTree, names: Iterable<string>): readonly RenderedSource[] {
  const found = new Set<RenderedSource>();
  const begun = new Set<string>();
  const add = (name: string): void => {
    const rendered = tree.files.get(name);
    if (rendered === undefined || begun.has(name)) return;
    begun.add(name);
    const list = isDict(rendered.value) ? rendered.value.get('include') : undefined;
    for (const item of Array.isArray(list) ? list : []) {
      const include = readPillarInclude(item, () => undefined);
      if (typeof include === 'string' || include.key !== undefined) continue;
      add(fullName(include.name, rendered.source) ?? '');
    }
    found.add(rendered);
  };
  for (const name of names) add(name);
  return [...found];
}

/** What a key has got so far, and from which file. */
interface Given {
  readonly value: Value;
  readonly from: RenderedSource;
}

function checkEmptyKeys(files: readonly RenderedSource[]): void {
  const given = new Map<string, Given>();
  for (const file of files) if (isDict(file.value)) visit(file, file.value, [], given);
}

function visit(file: RenderedSource, value: Dict, path: readonly Step[], given: Map<string, Given>): void {
  for (const [key, item] of value) {
    if (path.length === 0 && key === 'include') continue;
    const here = [...path, pyStr(key)];
    const name = here.join(':');
    const before = given.get(name);
    if (item === null && before !== undefined && before.from !== file)
      file.tell('empty-key', { path: here }, emptySentence(name, before));
    if (isDict(item)) visit(file, item, here, given);
    if (isDict(item) || Array.isArray(item)) given.set(name, { value: item, from: file });
  }
}

function emptySentence(name: string, { value, from }: Given): string {
  const what = Array.isArray(value) ? 'list' : 'mapping';
  return (
    `The key '${name}' is left empty, which wipes the ${what} that ${from.source.path} gives. ` +
    'Leave the key out; the option pillar_keep_on_empty keeps what there is.'
  );
}
