/** Attributes of files on Linux file systems: `lsattr` and `chattr`. Follows 3006.16 salt/modules/file.py. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pathExists } from '../../../python/paths.ts';
import { findProgram } from '../../../host/which.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { type Value } from '../../../python/values/value.ts';
import { P } from '../../shared/file-params.ts';
import { pathOperand, runText } from '../../shared/program.ts';

/**
 * Attributes by path; undefined without the program.
 * @throws SaltInvocationError when the path does not exist
 */
export async function listAttributes(
  ctx: ModuleContext,
  path: string,
): Promise<Map<string, string[]> | undefined> {
  if (findProgram('lsattr') === undefined) return undefined;
  if (!pathExists(path)) throw new SaltInvocationError(`File or directory does not exist: ${path}`);
  const output = await runText(ctx, ['lsattr', pathOperand(path)], { ignore_retcode: true });
  const letters = (await hasExtendedAttributes(ctx)) ? /[aAcCdDeijPsStTu]/g : /[acdijstuADST]/g;
  const found = new Map<string, string[]>();
  for (const line of splitLines(pyStr(output))) {
    if (line.startsWith('lsattr: ')) continue;
    const [, attributes = '', file] = /^\s*(\S+)\s+(.*)$/.exec(line) ?? [];
    if (file !== undefined) found.set(file, attributes.match(letters) ?? []);
  }
  return found;
}

/** Newer programs know more attributes. */
async function hasExtendedAttributes(ctx: ModuleContext): Promise<boolean> {
  const program = findProgram('tune2fs');
  if (program === undefined) return false;
  const output = await runText(ctx, [program], { ignore_retcode: true });
  const parts = /tune2fs ([0-9.]+)/.exec(output)?.[1]?.split('.').map(Number) ?? [];
  const needed = [1, 41, 12];
  const differing = needed.findIndex((part, i) => (parts[i] ?? 0) !== part);
  return parts.length > 0 && differing >= 0 && (parts[differing] ?? 0) > (needed[differing] ?? 0);
}

/**
 * The letters of attributes that are given as a text or as a list; `cron.file` gives an empty one, so that a table has
 * none.
 */
export function attributeLetters(attrs: Value): string {
  return Array.isArray(attrs) ? attrs.map(pyStr).join('') : pyStr(attrs);
}

/** Attributes to add and to take away so that a file has exactly `wanted`; undefined where there are none. */
export async function attributeDifference(
  ctx: ModuleContext,
  path: string,
  wanted: string,
): Promise<{ readonly added: string; readonly removed: string } | undefined> {
  const listed = await listAttributes(ctx, path);
  if (listed === undefined) return undefined;
  const old = new Set(listed.get(path) ?? []);
  const target = new Set(wanted);
  if (old.has('e')) target.add('e'); // "extents" cannot be taken away
  return {
    added: [...target].filter((letter) => !old.has(letter)).join(''),
    removed: [...old].filter((letter) => !target.has(letter)).join(''),
  };
}

/** Runs `chattr`. @param change `+i`, `-a` @returns false when it said anything */
export async function changeAttributes(
  ctx: ModuleContext,
  files: readonly Value[],
  change: string,
  options: readonly Value[] = [],
): Promise<boolean> {
  const argv = ['chattr', change, ...options, ...files.map((file) => pathOperand(pyStr(file)))];
  return (await runText(ctx, argv)) === '';
}

/** Functions about attributes. */
export const attributeFunctions = {
  lsattr: defineFunction({
    doc: 'Lists the attributes of a file, or of the files in a folder, as the program lsattr does.',
    params: { path: P.plainPath },
    returns: '`{path: [letters]}`; nothing without the program',
    examples: ["salt '*' file.lsattr /etc/passwd"],
    run: async (ctx, { path }) => {
      const listed = await listAttributes(ctx, path);
      return listed === undefined ? null : new Map<Value, Value>(listed);
    },
  }),
  chattr: defineFunction({
    doc:
      'Adds attributes to files or takes them away, as the program chattr does. Keywords: operator (add or remove), ' +
      'attributes (letters), flags and version.',
    varargs: 'files',
    kwargs: 'kwargs',
    returns: 'true when the program was content',
    examples: ["salt '*' file.chattr foo1.txt foo2.txt operator=add attributes=ai"],
    run: (ctx, _args, files, kwargs) => {
      const given = (name: string): Value => kwargs.get(name) ?? null;
      const operator = given('operator');
      if (operator !== 'add' && operator !== 'remove')
        throw new SaltInvocationError("Need an operator: 'add' or 'remove' to modify attributes.");
      if (given('attributes') === null) throw new SaltInvocationError('Need attributes: [aAcCdDeijPsStTu]');
      const options: Value[] = [];
      if (given('flags') !== null) options.push(`-${pyStr(given('flags'))}`);
      if (given('version') !== null) options.push('-v', given('version'));
      const sign = operator === 'add' ? '+' : '-';
      return changeAttributes(ctx, files, `${sign}${pyStr(given('attributes'))}`, options);
    },
  }),
};
