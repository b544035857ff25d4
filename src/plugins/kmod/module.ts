/** `kmod`: modules of the kernel. Follows 3006.16 salt/modules/kmod.py. */
import { release } from 'node:os';
import { walk } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { baseName, joinPath, pathExists } from '../../python/paths.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { escapePattern } from '../shared/regex.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { programPath, runAll, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

/** The kernel's modules, built-in ones included, as often as they are found. */
function available(): string[] {
  const folder = `/lib/modules/${release()}`;
  const names: string[] = [];
  for (const line of (readTextIfExists(joinPath(folder, 'modules.builtin')) ?? '').split('\n'))
    if (line !== '') names.push(baseName(line).replace(/\.ko$/, ''));
  for (const { files } of walk(folder))
    for (const file of files) {
      const at = file.indexOf('.ko');
      if (at >= 0) names.push(file.slice(0, at).replaceAll('-', '_'));
    }
  return names.sort(compareText);
}

async function loaded(ctx: ModuleContext): Promise<Dict[]> {
  const text = await runText(ctx, [programPath('lsmod')]);
  return text.split('\n').flatMap((line) => {
    const [module = '', size, depcount, deps] = line.trim().split(/\s+/);
    if (size === undefined || depcount === undefined || module === 'Module') return [];
    return [dict({ size, module, depcount, deps: deps === undefined ? [] : deps.split(',') })];
  });
}

async function loadedNames(ctx: ModuleContext): Promise<string[]> {
  const names = new Set((await loaded(ctx)).map((module) => pyStr(module.get('module') ?? '')));
  return [...names].sort(compareText);
}

function persistentFile(ctx: ModuleContext): string {
  return ctx.grains.has('systemd') ? '/etc/modules-load.d/salt_managed.conf' : '/etc/modules';
}

/** The first word: the module without its parameters. */
function bareName(mod: string): string {
  return mod.trim().split(/\s+/)[0] ?? '';
}

function persistentNames(ctx: ModuleContext): string[] {
  const lines = (readTextIfExists(persistentFile(ctx)) ?? '').split('\n').map((line) => line.trim());
  const names = lines.filter((line) => line !== '' && !line.startsWith('#')).map(bareName);
  return [...new Set(names)].sort(compareText);
}

async function keep(ctx: ModuleContext, mod: string): Promise<string[]> {
  const [file, name] = [persistentFile(ctx), bareName(mod)];
  const call = (fun: string, args: Value[], kwargs: Dict = dict()): Promise<Value> =>
    ctx.functions.call(fun, args, kwargs);
  if (!pathExists(file)) await call('file.touch', [file]);
  if (name === '' || persistentNames(ctx).includes(name) || !available().includes(name)) return [];
  const pattern = escapePattern(mod);
  const isThere = await call('file.search', [file, `^#[\t ]*${pattern}[\t ]*$`], dict({ multiline: true }));
  if (truthy(isThere)) await call('file.uncomment', [file, pattern]);
  else await call('file.append', [file, mod]);
  return [name];
}

async function forget(ctx: ModuleContext, mod: string, comments: boolean): Promise<string[]> {
  const [file, name] = [persistentFile(ctx), bareName(mod)];
  if (name === '' || !persistentNames(ctx).includes(name)) return [];
  const pattern = `^[\t ]*${escapePattern(mod)}[\t ]?`;
  if (comments) await ctx.functions.call('file.comment', [file, pattern]);
  else await ctx.functions.call('file.sed', [file, pattern, '']);
  return [name];
}

/** Loads or removes. @returns the modules that came or went */
async function change(
  ctx: ModuleContext,
  program: 'modprobe' | 'rmmod',
  mod: string,
  persist: () => Promise<string[]>,
): Promise<Value> {
  const before = new Set(await loadedNames(ctx));
  const words = mod.trim().split(/\s+/);
  const { retcode, stderr } = await runAll(ctx, [programPath(program), ...words]);
  const verb = program === 'modprobe' ? 'loading' : 'removing';
  if (retcode !== 0) return `Error ${verb} module ${mod}: ${stderr}`;
  const after = new Set(await loadedNames(ctx));
  const [from, to] = program === 'modprobe' ? [before, after] : [after, before];
  const names = new Set([...[...to].filter((name) => !from.has(name)), ...(await persist())]);
  return [...names].sort(compareText);
}

const mod = param.text({ doc: 'The module, with its parameters behind it.' });
const persist = param.flag({ default: false, doc: 'Also for the next start of the machine.' });

/** The module. */
export const kmodModule = defineModule({
  name: 'kmod',
  file: 'kmod',
  doc: 'Loads, removes and lists modules of the kernel.',
  // not by the grain, which `salt-call --local` would have to collect for any function that it does not know
  unavailable: () => (process.platform === 'linux' ? undefined : 'kmod is for Linux'),
  words: {},
  failsWith: { text: ['load', 'remove'] },
  functions: {
    available: defineFunction({
      doc: "Lists the kernel's modules.",
      returns: 'sorted list',
      run: () => available(),
    }),
    check_available: defineFunction({
      doc: 'Returns whether there is a module.',
      params: { mod },
      returns: 'bool',
      examples: ["salt '*' kmod.check_available kvm"],
      run: (_ctx, args) => available().includes(args.mod),
    }),
    lsmod: defineFunction({
      doc: 'Shows the modules that are loaded.',
      returns: 'list of `{size, module, depcount, deps}`',
      run: (ctx) => loaded(ctx),
    }),
    mod_list: defineFunction({
      doc: 'Lists the modules that are loaded.',
      params: {
        only_persist: param.flag({ default: false, doc: 'Those that each start of the machine loads.' }),
      },
      returns: 'sorted list',
      run: (ctx, { only_persist }) => (only_persist ? persistentNames(ctx) : loadedNames(ctx)),
    }),
    load: defineFunction({
      doc: 'Loads a module.',
      params: { mod, persist },
      returns: 'list of the modules that came; text when it failed',
      examples: ["salt '*' kmod.load kvm"],
      run: (ctx, args) =>
        change(ctx, 'modprobe', args.mod, async () => (args.persist ? keep(ctx, args.mod) : [])),
    }),
    is_loaded: defineFunction({
      doc: 'Returns whether a module is loaded.',
      params: { mod },
      returns: 'bool',
      examples: ["salt '*' kmod.is_loaded kvm"],
      run: async (ctx, args) => (await loadedNames(ctx)).includes(args.mod),
    }),
    remove: defineFunction({
      doc: 'Removes a module.',
      params: {
        mod,
        persist,
        comment: param.flag({
          default: true,
          doc: 'Make its line in the file a comment, and do not take it out.',
        }),
      },
      returns: 'list of the modules that went; text when it failed',
      examples: ["salt '*' kmod.remove kvm"],
      run: (ctx, args) =>
        change(ctx, 'rmmod', args.mod, async () => (args.persist ? forget(ctx, args.mod, args.comment) : [])),
    }),
  },
});
