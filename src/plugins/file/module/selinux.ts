/** SELinux contexts of files. Follows 3006.16 salt/modules/file.py. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import type { Findings } from './findings.ts';
import { param } from '../../../runtime/loader/params.ts';
import { runAll, runCode } from '../../shared/program.ts';

/** Parts of a context; None leaves one alone. */
export interface SelinuxContext {
  readonly user: Value;
  readonly role: Value;
  readonly type: Value;
  readonly range: Value;
}

const PARTS = ['user', 'role', 'type', 'range'] as const;
const NAMES = { user: 'User', role: 'Role', type: 'Type', range: 'Range' } as const;

/** True when any part is given. */
export function selinuxWanted(wanted: SelinuxContext): boolean {
  return PARTS.some((part) => truthy(wanted[part]));
}

/** The context of a file, or Salt's sentence that there is none. */
export async function selinuxContext(ctx: ModuleContext, path: string): Promise<string> {
  const { retcode, stdout } = await runAll(ctx, ['stat', '-c', '%C', path]);
  if (retcode === 0) return stdout;
  return `No selinux context information is available for ${path}`;
}

/** The four parts of a context; undefined for a text that is none. */
export function contextParts(context: string): Map<(typeof PARTS)[number], string> | undefined {
  const parts = context.split(':');
  return parts.length === 4 ? new Map(PARTS.map((part, i) => [part, parts[i] as string])) : undefined;
}

/** Sets parts of a context. @returns the new context, or false */
async function setContext(
  ctx: ModuleContext,
  path: string,
  wanted: SelinuxContext,
  persist: boolean,
): Promise<string | false> {
  if (!selinuxWanted(wanted)) return false;
  if (persist) await addPolicy(ctx, path, wanted);
  const flags = { user: '-u', role: '-r', type: '-t', range: '-l' } as const;
  const argv: Value[] = ['chcon'];
  for (const part of PARTS) if (truthy(wanted[part])) argv.push(flags[part], wanted[part]);
  return (await runCode(ctx, [...argv, path])) === 0 ? selinuxContext(ctx, path) : false;
}

async function addPolicy(ctx: ModuleContext, path: string, wanted: SelinuxContext): Promise<void> {
  const result = await ctx.functions.call('selinux.fcontext_add_policy', [path], {
    sel_type: wanted.type,
    sel_user: wanted.user,
    sel_level: wanted.range,
  });
  if (!isDict(result) || result.get('retcode') !== 0)
    throw new CommandExecutionError(`Problem setting fcontext: ${pyStr(result)}`);
}

/** The part of `file.check_perms` about SELinux. */
export async function checkSelinux(
  ctx: ModuleContext,
  name: string,
  wanted: SelinuxContext,
  found: Findings,
  isTest: boolean,
): Promise<void> {
  const { ret, comments, changes } = found;
  const fail = (comment: string): void => {
    ret.set('result', false);
    comments.push(comment);
  };
  const current = contextParts(await selinuxContext(ctx, name));
  if (current === undefined) {
    ctx.log.error('Unable to get current selinux attributes');
    fail('Failed to get selinux attributes');
    return;
  }
  const differing = PARTS.filter((part) => truthy(wanted[part]) && wanted[part] !== current.get(part));
  if (differing.length === 0) return;
  const described = (value: (part: (typeof PARTS)[number]) => Value): string =>
    differing.map((part) => `${NAMES[part]}: ${pyStr(value(part))}`).join(' ');
  const change: Dict = dict({
    Old: described((part) => current.get(part) ?? null),
    New: described((part) => wanted[part]),
  });
  if (isTest) {
    comments.push(`File ${name} selinux context to be updated`);
    ret.set('result', null);
    changes.set('selinux', change);
    return;
  }
  const asked = (part: (typeof PARTS)[number]): Value => (differing.includes(part) ? wanted[part] : null);
  const type = asked('type') ?? current.get('type') ?? null;
  const context = { user: asked('user'), role: asked('role'), type, range: asked('range') };
  const after = contextParts((await setContext(ctx, name, context, true)) || '');
  if (after === undefined) {
    ctx.log.error('Unable to set current selinux attributes');
    fail('Failed to set selinux attributes');
    return;
  }
  comments.push(`The file ${name} is set to be changed`);
  for (const part of differing)
    if (after.get(part) !== wanted[part]) fail(`Unable to update se${part} context`);
  changes.set('selinux', change);
}

/** Functions about SELinux. */
export const selinuxFunctions = {
  restorecon: defineFunction({
    doc: 'Gives a file the SELinux context that the policy has for it.',
    params: {
      path: param.text({ doc: P.path.doc }),
      recursive: opt(param.flag({ doc: 'All files below a folder.' }), false),
    },
    returns: 'true or false',
    examples: ["salt '*' file.restorecon /home/user/.ssh/authorized_keys"],
    run: async (ctx, { path, recursive }) => {
      const argv = ['restorecon', recursive ? '-FR' : '-F', path];
      return (await runCode(ctx, argv)) === 0;
    },
  }),
  get_selinux_context: defineFunction({
    doc: 'Returns the SELinux context of a file.',
    params: { path: P.plainPath },
    returns: 'the context as text, or a sentence that there is none',
    examples: ["salt '*' file.get_selinux_context /etc/hosts"],
    run: (ctx, { path }) => selinuxContext(ctx, path),
  }),
  set_selinux_context: defineFunction({
    doc: 'Sets the SELinux context of a file, or parts of it.',
    params: {
      path: P.plainPath,
      user: opt(P.seuser, null),
      role: opt(P.serole, null),
      type: opt(P.setype, null),
      range: opt(P.serange, null),
      persist: opt(param.flag({ doc: 'Add it to the policy, so that it lasts.' }), false),
    },
    returns: 'the new context, or false',
    examples: ["salt '*' file.set_selinux_context path <user> <role> <type> <range>"],
    run: (ctx, { path, persist, ...wanted }) => setContext(ctx, path, wanted, persist),
  }),
};
