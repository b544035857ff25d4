/** `pecl`: extensions of PHP. Follows 3006.16 salt/modules/pecl.py. */
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runAll } from '../shared/program.ts';

/** More empty answers than an extension asks questions. */
const ANSWERS = '\n'.repeat(200);

/** @returns what pecl says; empty where it fails */
async function pecl(ctx: ModuleContext, words: readonly string[], hasDefaults = false): Promise<string> {
  const ended = await runAll(ctx, ['pecl', ...words], hasDefaults ? { stdin: ANSWERS } : {});
  if (ended.retcode === 0) return ended.stdout;
  ctx.log.error('Problem running pecl. Is php-pear installed?');
  return '';
}

const namesOf = (value: Value): string[] =>
  (Array.isArray(value) ? value : [value]).map((name) => pathOperand(pyStr(name)));

async function listed(ctx: ModuleContext, channel: string | undefined): Promise<Dict> {
  const found = dict();
  const words = channel === undefined ? ['list'] : ['list', '-c', channel];
  for (const line of splitLines(await pecl(ctx, words))) {
    const [, name, version = '', state = ''] = /^([^ ]+) +([^ ]+) +([^ ]+)/.exec(line) ?? [];
    if (name !== undefined) found.set(name, [version, state]);
  }
  return found;
}

/** Whether an extension, which may be said with its channel and its version, is installed. */
async function isInstalled(ctx: ModuleContext, wanted: string): Promise<boolean> {
  const parts = wanted.split('/');
  const name = parts.at(-1) ?? '';
  const found = await listed(ctx, parts.length > 1 ? parts[0] : undefined);
  return [...found].some(([each, about]) => {
    const version = Array.isArray(about) ? pyStr(about[0] ?? '') : '';
    return each === name || `${pyStr(each)}-${version}` === name;
  });
}

const PECLS = { pecls: param.by(namesOf, { type: 'str or list of str', doc: 'The extensions.' }) } as const;

/** The module. */
export const peclModule = defineModule({
  name: 'pecl',
  file: 'pecl',
  doc: 'Extensions of PHP.',
  unavailable: () =>
    findProgram('pecl') === undefined
      ? 'The pecl execution module not loaded: pecl binary is not in the path.'
      : undefined,
  words: {},
  failsWith: { false: ['install'], empty: ['uninstall', 'update'] },
  functions: {
    install: defineFunction({
      doc: 'Installs extensions.',
      params: {
        ...PECLS,
        defaults: param.strictFlag({ default: false, doc: 'Take the preset answer to every question.' }),
        force: param.flag({ default: false, doc: 'Install what is there already once more.' }),
        preferred_state: param.text({ default: 'stable', doc: 'Which state of an extension is wanted.' }),
      },
      returns: 'true or false; with force what pecl says',
      examples: ["salt '*' pecl.install fuse"],
      run: async (ctx, { pecls, defaults, force, preferred_state }): Promise<Value> => {
        const names = pecls;
        const words = ['-d', `preferred_state=${preferred_state}`, 'install', ...(force ? ['-f'] : [])];
        const said = await pecl(ctx, [...words, ...names], defaults);
        if (force) return said;
        for (const name of names) if (!(await isInstalled(ctx, name))) return false;
        return true;
      },
    }),
    uninstall: defineFunction({
      doc: 'Removes extensions.',
      params: PECLS,
      returns: 'what pecl says; empty where it fails',
      examples: ["salt '*' pecl.uninstall fuse"],
      run: (ctx, { pecls }) => pecl(ctx, ['uninstall', ...pecls]),
    }),
    update: defineFunction({
      doc: 'Brings extensions up to date.',
      params: PECLS,
      returns: 'what pecl says; empty where it fails',
      examples: ["salt '*' pecl.update fuse"],
      run: (ctx, { pecls }) => pecl(ctx, ['install', '-U', ...pecls]),
    }),
    list: defineFunction({
      doc: 'Lists the extensions that are installed.',
      params: { channel: param.textIfGiven({ default: null, doc: 'Only those of a channel.' }) },
      returns: 'mapping of extension to [version, state]',
      examples: ["salt '*' pecl.list"],
      pythonName: 'list_',
      run: (ctx, { channel }) => listed(ctx, channel),
    }),
  },
});
