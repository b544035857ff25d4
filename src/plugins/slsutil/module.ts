/** `slsutil`: what SLS files and templates need (3006.16 salt/modules/slsutil.py). */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { mergeDicts, updateDict, type MergeStrategy } from '../../formats/data/dict-merge.ts';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { banner } from './module/banner.ts';
import { convertData } from '../shared/serializers.ts';
import { param } from '../../runtime/loader/params.ts';

const STRATEGIES: ReadonlySet<string> = new Set([
  'smart',
  'recurse',
  'aggregate',
  'overwrite',
  'list',
  'none',
]);
const NO_DICT = 'Cannot update using non-dict types in dictupdate.update()';

function mapping(value: Value): Dict {
  if (isDict(value)) return value;
  throw new PythonError('TypeError', NO_DICT);
}

function merged(
  ctx: ModuleContext,
  a: Dict,
  b: Dict,
  strategy: string,
  renderer: string,
  lists: boolean,
): Dict {
  let name = strategy;
  const yamlex = renderer.split('|').at(-1) === 'yamlex' || renderer.startsWith('yamlex_');
  if (name === 'smart') name = yamlex ? 'aggregate' : 'recurse';
  if (!STRATEGIES.has(name)) {
    ctx.log.warning(`Unknown merging strategy '${name}', fallback to recurse`);
    return mergeDicts(a, b, 'recurse');
  }
  return mergeDicts(a, b, name as MergeStrategy, lists);
}

/** Keywords of the caller alone. */
function options(kwargs: Dict): Dict {
  return new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__')));
}

/** `compile_template`: the file or the text through the pipe; nothing to render is an empty mapping. */
async function rendered(
  ctx: ModuleContext,
  path: Value | undefined,
  string: string | undefined,
  pipe: string,
  kwargs: Dict,
): Promise<Value> {
  const given = options(kwargs);
  const saltenv = pyStr(given.get('saltenv') ?? 'base');
  const sls = pyStr(given.get('sls') ?? '');
  let place = ':string:';
  let text = string ?? '';
  if (path !== undefined) {
    place = pyStr(await ctx.functions.call('cp.get_url', [path], { saltenv }));
    try {
      text = readFileSync(place, 'utf8');
    } catch {
      ctx.log.error(`Template does not exist: ${place}`);
      return new Map();
    }
  }
  for (const name of ['saltenv', 'sls', 'env']) given.delete(name);
  const context = given.get('context');
  given.delete('context');
  const variables = [...given, ...(isDict(context) ? context : [])].map(
    ([name, value]) => [pyStr(name), value] as const,
  );
  const { SlsRenderer } = await import('../../runtime/state/sls-renderer.ts');
  const use = { saltenv, sls, path: place, pipe, variables: new Map(variables) };
  return new SlsRenderer(ctx).render(text, use);
}

async function isListed(ctx: ModuleContext, fun: string, path: Value, saltenv: Value): Promise<boolean> {
  const names = await ctx.functions.call(fun, [saltenv]);
  return Array.isArray(names) && names.includes(path);
}

async function pathExists(ctx: ModuleContext, path: Value, saltenv: Value): Promise<boolean> {
  return (
    (await isListed(ctx, 'cp.list_master', path, saltenv)) ||
    (await isListed(ctx, 'cp.list_master_dirs', path, saltenv))
  );
}

async function findUp(
  ctx: ModuleContext,
  start: string | undefined,
  filenames: Value,
  saltenv: Value,
): Promise<string> {
  let folder = start !== undefined ? posix.normalize(start).replace(/(.)\/$/, '$1') : '';
  if (folder !== '' && !(await pathExists(ctx, folder, saltenv)))
    throw new SaltInvocationError(`Starting path not found in the state tree: ${folder}`);
  const names = typeof filenames === 'string' ? [filenames] : filenames;
  if (!Array.isArray(names))
    throw new SaltInvocationError('Filenames argument must be a string or list of strings');
  for (;;) {
    for (const name of names) {
      const path = posix.join(folder, pyStr(name));
      if (await pathExists(ctx, path, saltenv)) return path;
    }
    if (folder === '') throw new CommandExecutionError('File pattern(s) not found in path ancestry');
    const above = posix.dirname(folder);
    folder = above === '.' || above === folder ? '' : above;
  }
}

const strategyParams = {
  strategy: param.text({ default: 'smart', doc: 'smart, recurse, aggregate, overwrite, list or none.' }),
  renderer: param.text({ default: 'yaml', doc: 'What `smart` goes by.' }),
  merge_lists: param.flag({ default: false, doc: 'Join lists instead of replacing them.' }),
} as const;
const saltenv = param.value({ default: 'base', type: 'str', doc: 'The environment.' });
const path = param.value({ type: 'str', doc: 'A path below the environment.' });
const serializer = param.text({
  doc: 'configparser, json, keyvalue, msgpack, plist, python, toml, yaml or yamlex.',
});

/** The module `slsutil`. */
export const slsutilModule = defineModule({
  name: 'slsutil',
  file: 'slsutil',
  doc: 'Functions for use in SLS files.',
  functions: {
    update: defineFunction({
      doc: 'Merges a mapping into another, which is changed.',
      params: {
        dest: param.by(mapping, { type: 'dict', doc: 'The one that is changed.' }),
        upd: param.by(mapping, { type: 'dict', doc: 'The other.' }),
        recursive_update: param.flag({ default: true, doc: 'Merge mappings inside, too.' }),
        merge_lists: strategyParams.merge_lists,
      },
      returns: 'the merged mapping',
      examples: ["salt '*' slsutil.update '{foo: Foo}' '{bar: Bar}'"],
      run: (_ctx, { dest, upd, recursive_update, merge_lists }) =>
        updateDict(dest, upd, {
          recursive: recursive_update,
          mergeLists: merge_lists,
        }),
    }),
    merge: defineFunction({
      doc: 'Merges two mappings by a strategy.',
      params: {
        obj_a: param.by(mapping, { type: 'dict', doc: 'The first.' }),
        obj_b: param.by(mapping, { type: 'dict', doc: 'The second, which wins.' }),
        ...strategyParams,
      },
      returns: 'the merged mapping',
      examples: ["salt '*' slsutil.merge '{foo: Foo}' '{bar: Bar}'"],
      run: (ctx, args) => merged(ctx, args.obj_a, args.obj_b, args.strategy, args.renderer, args.merge_lists),
    }),
    merge_all: defineFunction({
      doc: 'Merges the mappings of a list, one after the other.',
      params: { lst: param.list({ doc: 'The mappings.' }), ...strategyParams },
      returns: 'the merged mapping',
      examples: ["salt '*' slsutil.merge_all '[{foo: Foo}, {foo: Bar}]'"],
      run: (ctx, args) =>
        args.lst.reduce<Dict>(
          (all, one) => merged(ctx, all, mapping(one), args.strategy, args.renderer, args.merge_lists),
          new Map(),
        ),
    }),
    renderer: defineFunction({
      doc: 'Renders a file or a text through a pipe of renderers.',
      params: {
        path: param.valueIfGiven({
          default: null,
          type: 'str',
          doc: 'A file: a path of this machine, or any URL.',
        }),
        string: param.textIfGiven({ default: null, doc: 'A text instead of a file.' }),
        default_renderer: param.text({
          default: 'jinja|yaml',
          doc: 'The pipe, unless the first line names one.',
        }),
      },
      kwargs: 'kwargs',
      returns: 'what the last renderer gives',
      examples: [
        "salt '*' slsutil.renderer salt://path/to/file",
        "salt '*' slsutil.renderer string='Hello, {{ name }}.' name='world' default_renderer=jinja",
      ],
      run: (ctx, args, _rest, kwargs) => {
        const { path, string } = args;
        if (path === undefined && string === undefined)
          throw new SaltInvocationError('Must pass either path or string');
        if (path !== undefined && string !== undefined)
          throw new SaltInvocationError('Must not pass both path and string');
        return rendered(ctx, path, string, args.default_renderer, kwargs);
      },
    }),
    serialize: defineFunction({
      doc: 'Writes data in a format.',
      params: { serializer, obj: param.value({ doc: 'The data.' }) },
      kwargs: 'mod_kwargs',
      returns: 'the text',
      examples: ["salt '*' --no-parse=obj slsutil.serialize 'json' obj=\"{'foo': 'Foo!'}\""],
      run: (_ctx, args, _rest, kwargs) =>
        convertData(args.serializer, 'serialize', args.obj, options(kwargs)),
    }),
    deserialize: defineFunction({
      doc: 'Reads data out of a format.',
      params: { serializer, stream_or_string: param.value({ type: 'str', doc: 'The text.' }) },
      kwargs: 'mod_kwargs',
      returns: 'the data',
      examples: ["salt '*' slsutil.deserialize 'json' '{\"foo\": \"Foo!\"}'"],
      run: (_ctx, args, _rest, kwargs) =>
        convertData(args.serializer, 'deserialize', args.stream_or_string, options(kwargs)),
    }),
    banner: defineFunction({
      doc: 'Makes the comment that says that a file is managed.',
      params: {
        width: param.number({ default: 72, doc: 'Columns.' }),
        commentchar: param.text({ default: '#', doc: 'What begins each line.' }),
        borderchar: param.text({ default: '#', doc: 'The character of the border.' }),
        blockstart: param.textOrNone({ default: null, doc: 'A line above.' }),
        blockend: param.textOrNone({ default: null, doc: 'A line below.' }),
        title: param.textOrNone({ default: null, doc: 'The first text, in the middle.' }),
        text: param.textOrNone({ default: null, doc: 'The second text.' }),
        newline: param.flag({ default: false, doc: 'End with a line end.' }),
      },
      returns: 'text of several lines',
      run: (_ctx, args) =>
        banner({
          width: args.width ?? 72,
          commentchar: args.commentchar,
          borderchar: args.borderchar,
          blockstart: args.blockstart,
          blockend: args.blockend,
          title: args.title,
          text: args.text,
          newline: args.newline,
        }),
    }),
    boolstr: defineFunction({
      doc: 'Gives one of two texts.',
      params: {
        value: param.flag({ doc: 'Which.' }),
        true: param.value({ default: 'true', doc: 'For what is true.' }),
        false: param.value({ default: 'false', doc: 'For what is not.' }),
      },
      returns: 'one of the two',
      run: (_ctx, args) => copyValue(args.value ? args.true : args.false),
    }),
    file_exists: defineFunction({
      doc: 'Whether the file server has a file.',
      params: { path, saltenv },
      returns: 'True or False',
      examples: ["salt '*' slsutil.file_exists nginx/defaults.yaml"],
      run: (ctx, args) => isListed(ctx, 'cp.list_master', args.path, args.saltenv),
    }),
    dir_exists: defineFunction({
      doc: 'Whether the file server has a folder.',
      params: { path, saltenv },
      returns: 'True or False',
      examples: ["salt '*' slsutil.dir_exists nginx/files"],
      run: (ctx, args) => isListed(ctx, 'cp.list_master_dirs', args.path, args.saltenv),
    }),
    path_exists: defineFunction({
      doc: 'Whether the file server has a file or a folder.',
      params: { path, saltenv },
      returns: 'True or False',
      examples: ["salt '*' slsutil.path_exists nginx/defaults.yaml"],
      run: (ctx, args) => pathExists(ctx, args.path, args.saltenv),
    }),
    findup: defineFunction({
      doc: 'Finds the nearest file of a name, in a folder or above it.',
      params: {
        startpath: param.textIfGiven({ doc: 'Where to begin; empty for the root of the environment.' }),
        filenames: param.value({ type: 'str', doc: 'A name, or a list of names.' }),
        saltenv,
      },
      returns: 'the path',
      examples: ["salt '*' slsutil.findup formulas/shared/nginx map.jinja"],
      run: (ctx, args) => findUp(ctx, args.startpath, args.filenames, args.saltenv),
    }),
  },
});
