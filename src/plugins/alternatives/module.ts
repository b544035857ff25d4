/** `alternatives`: which of several programs a name stands for. Follows 3006.16 salt/modules/alternatives.py. */
import { readTextIfExists } from '../../host/files.ts';
import { isDir, joinPath, linkTarget } from '../../python/paths.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { runAll } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

const FOLDER = '/etc/alternatives';

function program(ctx: ModuleContext): string {
  return ctx.grains.get('os_family') === 'RedHat' ? 'alternatives' : 'update-alternatives';
}

/** Changes something. @returns the output, or what was said against it */
async function change(
  ctx: ModuleContext,
  words: readonly Value[],
  isFailure = (ended: { retcode: number; stderr: string }): boolean => ended.retcode > 0,
): Promise<string> {
  const ended = await runAll(ctx, [program(ctx), ...words.map(pyStr)]);
  return isFailure(ended) ? ended.stderr : ended.stdout;
}

const saysWhy = ({ retcode, stderr }: { retcode: number; stderr: string }): boolean =>
  retcode > 0 && stderr !== '';

function ask(ctx: ModuleContext, option: string, name: string): ReturnType<typeof runAll> {
  return runAll(ctx, [program(ctx), option, name], { ignore_retcode: true });
}

/** Where the alternative points to, or undefined. */
function current(name: string): string | undefined {
  return linkTarget(joinPath(FOLDER, name));
}

/** The link of an alternative, out of the database of the tool. */
function linkInDatabase(ctx: ModuleContext, name: string, folder: string): Value {
  const text = readTextIfExists(joinPath(folder, name));
  const line = text === undefined ? undefined : splitLines(text)[1];
  if (line !== undefined) return line;
  ctx.log.error(
    text === undefined
      ? `alternatives: ${name} does not exist`
      : `alternatives: unable to get master link for ${name}. Exception: list index out of range`,
  );
  return false;
}

async function linkByCommand(ctx: ModuleContext, name: string): Promise<Value> {
  const ended = await ask(ctx, '--query', name);
  if (saysWhy(ended)) return false;
  const [block = ''] = ended.stdout.split('\n\n', 1);
  const line = block.split('\n').find((text) => text.startsWith('Link:'));
  return line === undefined ? false : line.slice(line.indexOf(':') + 1).trim();
}

const NAME = param.text({ doc: 'The name of the alternative: `editor`.' });
const PATH = param.text({ doc: 'The path of one of those it may stand for: `/usr/bin/vim`.' });
const OUTPUT = 'what the program said';

/** The module. */
export const alternativesModule = defineModule({
  name: 'alternatives',
  file: 'alternatives',
  doc: 'Which of several programs a common name stands for, as `update-alternatives` keeps it.',
  unavailable: () =>
    isDir(FOLDER) ? undefined : 'Cannot load alternatives module: /etc/alternatives dir not found',
  words: {},
  functions: {
    display: defineFunction({
      doc: 'Shows what an alternative may stand for, and what it stands for.',
      params: { name: NAME },
      returns: OUTPUT,
      outputter: 'txt',
      examples: ["salt '*' alternatives.display editor"],
      run: async (ctx, { name }) => {
        const ended = await ask(ctx, '--display', name);
        return saysWhy(ended) ? ended.stderr : ended.stdout;
      },
    }),
    show_link: defineFunction({
      doc: 'Shows the link that programs use.',
      params: { name: NAME },
      returns: 'a path; false when there is no such alternative',
      examples: ["salt '*' alternatives.show_link editor"],
      run: (ctx, { name }) => {
        const family = ctx.grains.get('os_family');
        if (family === 'RedHat') return linkInDatabase(ctx, name, '/var/lib/alternatives');
        if (family === 'Suse') return linkInDatabase(ctx, name, '/var/lib/rpm/alternatives');
        return linkByCommand(ctx, name);
      },
    }),
    show_current: defineFunction({
      doc: 'Shows what an alternative stands for now.',
      params: { name: NAME },
      returns: 'a path; false when there is no such alternative',
      examples: ["salt '*' alternatives.show_current editor"],
      run: (ctx, { name }) => {
        const target = current(name);
        if (target === undefined) ctx.log.error(`alternative: ${name} does not exist`);
        return target ?? false;
      },
    }),
    check_exists: defineFunction({
      doc: 'Returns whether a path is one of those that an alternative may stand for.',
      params: { name: NAME, path: PATH },
      returns: 'true or false',
      examples: ["salt '*' alternatives.check_exists editor /usr/bin/vim"],
      run: async (ctx, { name, path }) => {
        const ended = await ask(ctx, '--display', name);
        return !saysWhy(ended) && splitLines(ended.stdout).some((line) => line.startsWith(path));
      },
    }),
    check_installed: defineFunction({
      doc: 'Returns whether an alternative stands for a path now.',
      params: { name: NAME, path: PATH },
      returns: 'true or false',
      examples: ["salt '*' alternatives.check_installed editor /usr/bin/vim"],
      run: (_ctx, { name, path }) => current(name) === path,
    }),
    install: defineFunction({
      doc: 'Adds a path to those that an alternative may stand for.',
      params: {
        name: NAME,
        link: param.value({ type: 'str', doc: 'The link that programs use: `/usr/bin/editor`.' }),
        path: PATH,
        priority: param.value({ type: 'int', doc: 'The highest one is taken in automatic mode.' }),
      },
      returns: OUTPUT,
      outputter: 'txt',
      examples: ["salt '*' alternatives.install editor /usr/bin/editor /usr/bin/vim 50"],
      run: (ctx, { name, link, path, priority }) =>
        change(ctx, ['--install', link, name, path, priority], saysWhy),
    }),
    remove: defineFunction({
      doc: 'Takes a path away from those that an alternative may stand for.',
      params: { name: NAME, path: PATH },
      returns: OUTPUT,
      outputter: 'txt',
      examples: ["salt '*' alternatives.remove editor /usr/bin/vim"],
      run: (ctx, { name, path }) => change(ctx, ['--remove', name, path]),
    }),
    auto: defineFunction({
      doc: 'Lets an alternative stand for the path with the highest priority again.',
      params: { name: NAME },
      returns: OUTPUT,
      examples: ["salt '*' alternatives.auto editor"],
      run: (ctx, { name }) => change(ctx, ['--auto', name]),
    }),
    set: defineFunction({
      doc: 'Lets an alternative stand for a path, whatever the priorities are.',
      params: { name: NAME, path: PATH },
      returns: OUTPUT,
      pythonName: 'set_',
      examples: ["salt '*' alternatives.set editor /usr/bin/vim"],
      run: (ctx, { name, path }) => change(ctx, ['--set', name, path]),
    }),
  },
});
