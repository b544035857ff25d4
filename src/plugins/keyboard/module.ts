/** `keyboard`: the layout of keyboards. Follows 3006.16 salt/modules/keyboard.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { type Dict } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { runAll, runText } from '../shared/program.ts';

/** The file that has the layout where there is no localectl, and the word in front of it. */
interface LayoutFile {
  readonly path: string;
  readonly key: string;
}

const LAYOUT = { layout: param.text({ doc: 'The layout: us, de.' }) } as const;
const FILES: ReadonlyMap<string, LayoutFile> = new Map([
  ['RedHat', { path: '/etc/sysconfig/keyboard', key: 'LAYOUT' }],
  ['Debian', { path: '/etc/default/keyboard', key: 'XKBLAYOUT' }],
  ['Gentoo', { path: '/etc/conf.d/keymaps', key: 'keymap' }],
]);

const fileOf = (grains: Dict): LayoutFile | undefined => FILES.get(pyStr(grains.get('os_family') ?? ''));

/** @throws CommandExecutionError where no layout is found */
function found(text: string | undefined, where: string): string {
  if (text !== undefined) return text;
  throw new CommandExecutionError(`${where} does not say which keyboard layout there is`);
}

async function systemLayout(ctx: ModuleContext): Promise<string> {
  if (findProgram('localectl') !== undefined) {
    const said = await runText(ctx, ['localectl']);
    return found(/^\s*VC Keymap: (.*)$/m.exec(said)?.[1], 'localectl');
  }
  const file = fileOf(ctx.grains);
  if (file === undefined)
    throw new CommandExecutionError('No file is known that has the keyboard layout here');
  const text = pyStr(await ctx.functions.call('file.read', [file.path]));
  const line = new RegExp(`^[^#\n]*${file.key}=(.*)$`, 'm').exec(text)?.[1];
  return found(line?.replaceAll('"', ''), file.path);
}

async function setSystemLayout(ctx: ModuleContext, layout: string): Promise<string> {
  const file = fileOf(ctx.grains);
  if (findProgram('localectl') !== undefined) await carryOut(ctx, ['localectl', 'set-keymap', layout]);
  else if (file !== undefined)
    await ctx.functions.call('file.replace', [file.path, `^${file.key}=.*`, `${file.key}=${layout}`], {
      backup: false,
    });
  return layout;
}

/**
 * @throws CommandExecutionError with what the program says. Salt compat: Salt says that the layout was set, whatever
 *   comes of it.
 */
async function carryOut(ctx: ModuleContext, words: readonly string[]): Promise<void> {
  const { retcode, stdout, stderr } = await runAll(ctx, words);
  if (retcode !== 0) throw new CommandExecutionError(`${words.join(' ')} failed: ${stderr || stdout}`);
}

/** The module. */
export const keyboardModule = defineModule({
  name: 'keyboard',
  file: 'keyboard',
  doc: 'The layout of keyboards.',
  words: {},
  unavailable: ({ grains }) =>
    findProgram('localectl') === undefined && fileOf(grains) === undefined
      ? 'The keyboard exeuction module cannot be loaded: only works on Redhat, Debian or Gentoo systems or if localectl binary in path.'
      : undefined,
  functions: {
    get_sys: defineFunction({
      doc: 'Returns the layout of the consoles.',
      returns: 'text',
      examples: ["salt '*' keyboard.get_sys"],
      run: (ctx) => systemLayout(ctx),
    }),
    set_sys: defineFunction({
      doc: 'Sets the layout of the consoles.',
      params: LAYOUT,
      returns: 'the layout',
      examples: ["salt '*' keyboard.set_sys dvorak"],
      run: (ctx, { layout }) => setSystemLayout(ctx, layout),
    }),
    get_x: defineFunction({
      doc: 'Returns the layout of the X server.',
      returns: 'text',
      examples: ["salt '*' keyboard.get_x"],
      run: async (ctx) => {
        const said = await runText(ctx, ['setxkbmap', '-query']);
        return found(/^.*layout.*?:(.*)$/m.exec(said)?.[1]?.trim(), 'setxkbmap');
      },
    }),
    set_x: defineFunction({
      doc: 'Sets the layout of the X server.',
      params: LAYOUT,
      returns: 'the layout',
      examples: ["salt '*' keyboard.set_x dvorak"],
      run: async (ctx, { layout }) => {
        await carryOut(ctx, ['setxkbmap', layout]);
        return layout;
      },
    }),
  },
});
