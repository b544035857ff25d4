/** The contexts that SELinux gives to files by their paths. Follows 3006.16 salt/modules/selinux.py (`fcontext_*`). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, runStdout, runText, type Ended } from '../../shared/program.ts';

const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ['a', 'all files'],
  ['f', 'regular file'],
  ['d', 'directory'],
  ['c', 'character device'],
  ['b', 'block device'],
  ['s', 'socket'],
  ['l', 'symbolic link'],
  ['p', 'named pipe'],
]);
const PARTS = ['sel_user', 'sel_role', 'sel_type', 'sel_level'] as const;

/** What a letter of a kind of file stands for. @throws SaltInvocationError */
export function fileTypeText(given: string): string {
  const text = FILE_TYPES.get(given);
  if (text === undefined) throw new SaltInvocationError(`Invalid filetype given: ${given}`);
  return text;
}

/** The parts of a context. @throws SaltInvocationError */
function contextParts(text: string): Dict {
  const parts = /^([^:]+):([^:]+):([^:]+):(.+)$/.exec(text)?.slice(1);
  if (parts === undefined)
    throw new SaltInvocationError(
      `Invalid SELinux context string: ${text}. Expected "sel_user:sel_role:sel_type:sel_level"`,
    );
  return dict(Object.fromEntries(PARTS.map((name, at) => [name, parts[at] ?? ''])));
}

/** A rule for files. Undefined parts are any in questions, and semanage's own in orders. */
export interface FileRule {
  /** A pattern of paths, as SELinux has them. */
  readonly name: string;
  /** `a` for all, else a letter of a kind. */
  readonly filetype: string | undefined;
  readonly sel_type: string | undefined;
  readonly sel_user: string | undefined;
  readonly sel_level: string | undefined;
}

async function linesOf(ctx: ModuleContext, name: string): Promise<string[]> {
  const list = await runStdout(ctx, ['semanage', 'fcontext', '-l'], { ignore_retcode: true });
  return splitLines(list).filter((line) => line.startsWith(`${name} `));
}

/**
 * The rule for a pattern, or null where there is none that is like it; of several the last, which is the one that
 * counts.
 */
export async function fileRule(ctx: ModuleContext, wanted: FileRule): Promise<Dict | null> {
  const kind =
    wanted.filetype === undefined || wanted.filetype === '' ? undefined : fileTypeText(wanted.filetype);
  let found: Dict | null = null;
  for (const line of await linesOf(ctx, wanted.name)) {
    const [, filetype = '', context = ''] =
      /^ +([A-Za-z ]+?) +(\S+)\s*$/.exec(line.slice(wanted.name.length)) ?? [];
    if (!/^[^:]+:[^:]+:[^:]+:/.test(context) || (kind !== undefined && filetype !== kind)) continue;
    const parts = contextParts(context);
    const fits = (['sel_user', 'sel_type', 'sel_level'] as const).every(
      (name) => (wanted[name] ?? '') === '' || parts.get(name) === wanted[name],
    );
    if (fits) found = new Map<Value, Value>([['filespec', wanted.name], ['filetype', filetype], ...parts]);
  }
  return found;
}

/** Adds a rule, changes it where there is one for the pattern, or deletes it. */
export async function orderFileRule(
  ctx: ModuleContext,
  action: 'add' | 'delete',
  rule: FileRule,
): Promise<Ended> {
  const { name, filetype, sel_type, sel_user, sel_level } = rule;
  const verb = action === 'add' && (await linesOf(ctx, name)).length > 0 ? 'modify' : action;
  const words = ['semanage', 'fcontext', `--${verb}`];
  if (filetype !== undefined && filetype !== 'a') {
    fileTypeText(filetype);
    words.push('--ftype', filetype);
  }
  if (sel_type !== undefined) words.push('--type', sel_type);
  if (sel_user !== undefined) words.push('--seuser', sel_user);
  if (sel_level !== undefined) words.push('--range', sel_level);
  return runAll(ctx, [...words, name]);
}

const restorecon = (flags: readonly string[], recursive: boolean, name: string): string[] => [
  ...['restorecon', ...flags, ...(recursive ? ['-R'] : [])],
  name,
];

/** What would be relabelled, in the words of restorecon; empty where nothing would. */
export const notApplied = async (ctx: ModuleContext, name: string, recursive: boolean): Promise<string> =>
  (await runAll(ctx, restorecon(['-n', '-v'], recursive, name))).stdout;

const RELABELLED = [
  [/^Would relabel/, /^Would relabel (.*) from (.*) to (.*)$/gm],
  [/^restorecon reset/, /^restorecon reset (.*) context (.*)->(.*)$/gm],
] as const;

/** What differs between two contexts, by path. */
function changesIn(found: Iterable<RegExpMatchArray>): Dict {
  const changes = dict();
  for (const [, path = '', before = '', after = ''] of found) {
    const [old, now] = [contextParts(before), contextParts(after)];
    for (const name of PARTS)
      if (old.get(name) === now.get(name)) {
        old.delete(name);
        now.delete(name);
      }
    changes.set(path, dict({ old, new: now }));
  }
  return changes;
}

/** Gives files the contexts that the rules say. @returns how restorecon ended, with `changes` or `error` */
export async function applyRules(ctx: ModuleContext, name: string, recursive: boolean): Promise<Dict> {
  const foretold = await notApplied(ctx, name, recursive);
  const { pid, retcode, stdout, stderr } = await runAll(ctx, restorecon(['-v', '-F'], recursive, name));
  const out = dict({ pid, retcode, stdout, stderr });
  if (retcode !== 0) return out;
  const [, pattern] = RELABELLED.find(([start]) => start.test(foretold)) ?? [];
  if (pattern === undefined)
    return out.set('retcode', 1).set('error', 'Unrecognized response from restorecon command.');
  const changes = changesIn(foretold.matchAll(pattern));
  return changes.size === 0 ? out : out.set('changes', changes);
}

/** The modules of SELinux, with whether they are enabled, and their versions where the program tells them. */
export async function policyModules(ctx: ModuleContext): Promise<Dict> {
  const help = splitLines(await runText(ctx, ['semodule', '-h']));
  const isNew = help.some((line) => line.trim().startsWith('full'));
  const lines = splitLines(await runText(ctx, ['semodule', isNew ? '-lfull' : '-l']));
  const out = dict();
  for (const words of lines.filter((line) => line.trim() !== '').map((line) => line.trim().split(/\s+/))) {
    const [name, version] = isNew ? [words[1] ?? '', null] : [words[0] ?? '', words[1] ?? null];
    out.set(name, dict({ Enabled: words.length !== (isNew ? 4 : 3), Version: version }));
  }
  return out;
}

/** One module, empty where there is none. */
export async function policyModule(ctx: ModuleContext, name: string): Promise<Dict> {
  const found = (await policyModules(ctx)).get(name);
  return isDict(found) ? found : dict();
}
