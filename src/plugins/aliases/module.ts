/** `aliases`: addresses of local mail, as `/etc/aliases` keeps them. Follows 3006.16 salt/modules/aliases.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { replaceFile } from '../../host/file-operations.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { findProgram } from '../../host/which.ts';
import { pathExists, realPath } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runText } from '../shared/program.ts';
import { optionText } from '../shared/settings.ts';

/** A line of the file; the alias is undefined where it has none. */
interface AliasLine {
  readonly raw: string;
  readonly alias?: string;
  readonly target: string;
  readonly comment: string;
}

const LINE = /^([^:#]*?)\s*:\s*([^#]*?)(\s+#.*|)$/;

async function pathOf(ctx: ModuleContext): Promise<string> {
  return realPath((await optionText(ctx, ['aliases.file'])) ?? '/etc/aliases');
}

function parseLine(raw: string): AliasLine {
  const [, alias = '', target = '', comment = ''] = LINE.exec(raw) ?? [];
  if (alias === '' || target === '') return { raw, target, comment };
  return { raw: `${alias}: ${target}${comment}`, alias, target, comment };
}

async function linesOf(ctx: ModuleContext): Promise<AliasLine[]> {
  const text = readTextIfExists(await pathOf(ctx)) ?? '';
  return text === '' ? [] : text.replace(/\n$/, '').split('\n').map(parseLine);
}

async function write(ctx: ModuleContext, lines: readonly AliasLine[]): Promise<void> {
  const path = await pathOf(ctx);
  const text = lines.map(({ raw }) => `${raw}\n`).join('');
  if (pathExists(path)) replaceFile(ctx.random, path, text);
  else writeFileAtomic(path, text, { mode: 0o644 });
  const program = findProgram('newaliases');
  if (program !== undefined) await runText(ctx, [program]);
}

/** The targets of an alias as the file has them: one, or several with commas. */
const targetText = (target: Value): string =>
  Array.isArray(target) ? target.map(pyStr).join(', ') : pyStr(target);

async function targetOf(ctx: ModuleContext, alias: string): Promise<string | undefined> {
  return (await linesOf(ctx)).findLast((line) => line.alias === alias)?.target;
}

async function setTarget(ctx: ModuleContext, alias: string, target: string): Promise<boolean> {
  if (alias === '') throw new SaltInvocationError('alias can not be an empty string');
  if (target === '') throw new SaltInvocationError('target can not be an empty string');
  if ((await targetOf(ctx, alias)) === target) return true;
  const lines = await linesOf(ctx);
  const at = lines.findIndex((line) => line.alias === alias);
  const comment = lines[at]?.comment ?? '';
  const line: AliasLine = { raw: `${alias}: ${target}${comment}`, alias, target, comment };
  const kept = lines.flatMap((old, i) => (i === at ? [line] : old.alias === alias ? [] : [old]));
  await write(ctx, at < 0 ? [...kept, line] : kept);
  return true;
}

const ALIAS = { alias: param.text({ doc: 'The name that mail is sent to.' }) } as const;
const TARGET = {
  target: param.by(targetText, { type: 'str or list', doc: 'Who gets it: users, addresses.' }),
} as const;

/** The module. */
export const aliasesModule = defineModule({
  name: 'aliases',
  file: 'aliases',
  doc: 'Addresses of local mail (`/etc/aliases`, or the option `aliases.file`).',
  words: { dashes: 'any' },
  functions: {
    list_aliases: defineFunction({
      doc: 'Lists the aliases.',
      returns: 'mapping of alias to target',
      outputter: 'yaml',
      examples: ["salt '*' aliases.list_aliases"],
      run: async (ctx) =>
        dict(
          Object.fromEntries(
            (await linesOf(ctx)).flatMap(({ alias, target }) =>
              alias === undefined ? [] : [[alias, target]],
            ),
          ),
        ),
    }),
    get_target: defineFunction({
      doc: 'Returns the target of an alias.',
      params: ALIAS,
      returns: 'the target; empty when there is no such alias',
      outputter: 'txt',
      examples: ["salt '*' aliases.get_target root"],
      run: async (ctx, { alias }) => (await targetOf(ctx, alias)) ?? '',
    }),
    has_target: defineFunction({
      doc: 'Returns whether an alias has this target.',
      params: { ...ALIAS, ...TARGET },
      returns: 'true or false',
      outputter: 'txt',
      examples: ["salt '*' aliases.has_target root admin@example.com"],
      run: async (ctx, { alias, target }) => {
        if (target === '') throw new SaltInvocationError('target can not be an empty string');
        return (await targetOf(ctx, alias)) === target;
      },
    }),
    set_target: defineFunction({
      doc: 'Sets the target of an alias, which is made where there is none.',
      params: { ...ALIAS, ...TARGET },
      returns: 'true',
      outputter: 'txt',
      examples: ["salt '*' aliases.set_target root admin@example.com"],
      run: (ctx, { alias, target }) => setTarget(ctx, alias, target),
    }),
    rm_alias: defineFunction({
      doc: 'Removes an alias.',
      params: ALIAS,
      returns: 'true',
      outputter: 'txt',
      examples: ["salt '*' aliases.rm_alias root"],
      run: async (ctx, { alias }) => {
        const lines = await linesOf(ctx);
        const kept = lines.filter((line) => line.alias !== alias);
        if (kept.length < lines.length) await write(ctx, kept);
        return true;
      },
    }),
  },
});
