/** `debconf`: answers to the questions of Debian's packages. Follows 3006.16 salt/modules/debconfmod.py. */
import { rmSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { makeTempFile } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runAll } from '../shared/program.ts';
import { cachedFile, renderedTemplate } from '../shared/served-files.ts';

const QUIET = { output_loglevel: 'quiet' } as const;

/** All answers, which may be secrets: no log shows them. @throws CommandExecutionError where they cannot be had */
async function selections(ctx: ModuleContext, withEmpty: boolean): Promise<Dict> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['debconf-get-selections'], QUIET);
  if (retcode !== 0) throw new CommandExecutionError(`The answers of debconf cannot be read: ${stderr}`);
  const found = dict();
  for (const [, name = '', question = '', type = '', value = ''] of stdout.matchAll(
    /^([^#\s]\S+)[\t ]+(\S+)[\t ]+(\S+)[\t ]+([^\n]*)$/gm,
  )) {
    if (value === '' && !withEmpty) continue;
    const known = found.get(name);
    found.set(name, [...(Array.isArray(known) ? known : []), [question, type, value]]);
  }
  return found;
}

/**
 * Hands a file to debconf.
 * @throws CommandExecutionError in the words of debconf. Salt compat: Salt takes it for done.
 */
async function setFrom(ctx: ModuleContext, path: string): Promise<true> {
  const { retcode, stderr } = await runAll(ctx, ['debconf-set-selections', pathOperand(path)], QUIET);
  if (retcode !== 0) throw new CommandExecutionError(`debconf-set-selections has failed: ${stderr}`);
  return true;
}

async function setOne(ctx: ModuleContext, fields: readonly string[]): Promise<true> {
  const line = fields.join(' ');
  if (/[\r\n]/.test(line))
    throw new SaltInvocationError('An answer of debconf is one line: it cannot have line ends');
  const path = makeTempFile(ctx.random, { prefix: 'salt-', content: `${line}\n` });
  try {
    return await setFrom(ctx, path);
  } finally {
    rmSync(path, { force: true });
  }
}

async function setFile(ctx: ModuleContext, path: Value, saltenv: Value): Promise<boolean> {
  const cached = await cachedFile(ctx, [path, saltenv]);
  return cached === undefined ? false : setFrom(ctx, cached);
}

const PATH = {
  path: param.text({ doc: 'The file, as `debconf-get-selections` writes it: a path or `salt://…`.' }),
} as const;
const SALTENV = {
  saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of `salt://…`.' }),
} as const;

/** The module. */
export const debconfModule = defineModule({
  name: 'debconf',
  file: 'debconfmod',
  doc: "Answers to the questions of Debian's packages.",
  words: { lines: ['context', 'defaults'], dashes: ['value', 'context', 'defaults', '*'] },
  unavailable: ({ grains }) => {
    const isThere = findProgram('debconf-get-selections') !== undefined;
    // grains are asked last: to collect them takes long
    const isDebian = isThere ? grains.get('os_family') === 'Debian' : findProgram('dpkg') !== undefined;
    if (!isDebian) return 'The debconfmod module could not be loaded: unsupported OS family';
    return isThere ? undefined : 'The debconfmod module could not be loaded: debconf-utils is not installed.';
  },
  failsWith: { false: ['set', 'set_file', 'set_template'] },
  functions: {
    get_selections: defineFunction({
      doc: 'Returns the answers to the questions of all packages.',
      params: { fetchempty: param.flag({ default: true, doc: 'Empty answers, too.' }) },
      returns: 'a mapping of package to [question, type, answer]',
      examples: ["salt '*' debconf.get_selections"],
      run: (ctx, { fetchempty }) => selections(ctx, fetchempty),
    }),
    show: defineFunction({
      doc: 'Returns the answers to the questions of a package.',
      params: { name: param.value({ type: 'str', doc: 'The package.' }) },
      returns: 'a list of [question, type, answer]; nothing for a package without questions',
      examples: ["salt '*' debconf.show postfix"],
      run: async (ctx, { name }) => (await selections(ctx, true)).get(name) ?? null,
    }),
    set: defineFunction({
      doc: 'Answers a question of a package.',
      params: {
        package: param.text({ doc: 'The package.' }),
        question: param.text({ doc: 'The question.' }),
        type: param.text({ doc: 'string, boolean, select, multiselect, note, text, title or password.' }),
        value: param.text({ doc: 'The answer; further words belong to it.' }),
      },
      varargs: 'extra',
      pythonName: 'set_',
      returns: 'true',
      examples: ["salt '*' debconf.set postfix postfix/mailname string mail.example.com"],
      run: (ctx, { package: name, question, type, value }, extra) =>
        setOne(ctx, [name, question, type, [value, ...extra.map(pyStr)].join(' ')]),
    }),
    set_template: defineFunction({
      doc: 'Answers the questions of packages as a template says.',
      params: {
        path: PATH.path,
        template: param.value({ type: 'str', doc: 'The kind of template: jinja.' }),
        context: param.mapping({ doc: 'Variables of the template.' }),
        defaults: param.mapping({ doc: 'Variables where the context has none.' }),
        ...SALTENV,
      },
      kwargs: 'kwargs',
      returns: 'true, or false for a file that does not exist',
      examples: ["salt '*' debconf.set_template salt://mail/postfix.jinja jinja None None"],
      run: async (ctx, { path, template, context, defaults, saltenv }, _rest, kwargs) => {
        // Salt compat: Salt hands the defaults on to where nothing looks at them.
        const variables = new Map([...defaults, ...context]);
        const keywords = dict({ path, dest: null, template, saltenv, context: variables });
        const further = [...kwargs].filter(([name]) => !/^__/.test(pyStr(name)));
        const made = await renderedTemplate(ctx, [], new Map([...keywords, ...further]));
        return made === undefined ? false : setFile(ctx, made, saltenv);
      },
    }),
    set_file: defineFunction({
      doc: 'Answers the questions of packages as a file says.',
      params: { ...PATH, ...SALTENV },
      kwargs: 'kwargs',
      returns: 'true, or false for a file that does not exist',
      examples: ["salt '*' debconf.set_file salt://mail/postfix.selections"],
      run: (ctx, { path, saltenv }) => setFile(ctx, path, saltenv),
    }),
  },
});
