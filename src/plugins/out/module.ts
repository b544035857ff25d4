/** `out`: values as the outputters show them. Follows 3006.16 salt/modules/out.py and salt/output/__init__.py. */
import { pyStr } from '../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outputOptions } from '../outputters/options.ts';
import type { OutputOptions } from '../outputters/outputter.ts';
import { chooseOutputter, displayOutput } from '../outputters/registry.ts';

const PARAMS = {
  data: param.value({ doc: 'What is shown.' }),
  out: param.by((value) => (value === null ? '' : pyStr(value)), {
    default: 'nested',
    doc: 'The outputter. The option `output` comes before it, unless it says `highstate`; an unknown one is logged, and `nested` is used.',
  }),
  opts: param.mappingIfGiven({ default: null, doc: "Options instead of the minion's." }),
} as const;

/** What a table looks like, in keywords. */
const TABLE_KEYWORDS = [
  ...['has_header', 'row_delimiter', 'delim', 'justify', 'separate_rows', 'prefix', 'suffix', 'width'],
  ...['rows_key', 'labels_key', 'title'],
];
const ESCAPE_SEQUENCE = /\x1b[^m]*m/g;

interface Shown {
  readonly data: Value;
  readonly out: string;
  readonly opts: Dict | undefined;
}

/** Whether colours are put in: as in Salt only when options say so, since a function has no terminal. */
function isColoured(opts: Dict): boolean {
  if (truthy(opts.get('force_color'))) return true;
  return truthy(opts.get('color')) && !truthy(opts.get('no_color'));
}

/** The options with the keywords that outputters take. */
function laidOut(opts: Dict, kwargs: Dict, color: boolean): OutputOptions {
  const all: Dict = new Map(opts);
  const given = (name: string): Value | undefined =>
    truthy(kwargs.get(name)) ? kwargs.get(name) : undefined;
  for (const name of TABLE_KEYWORDS) {
    const value = given(name);
    if (value !== undefined) all.set(`out.table.${name}`, value);
  }
  const indent = given('nested_indent');
  if (indent !== undefined) all.set('nested_indent', indent).set('out.table.nested_indent', indent);
  return outputOptions(all, { color, retcode: toNumber(kwargs.get('_retcode') ?? 0) ?? 0 });
}

async function show(ctx: ModuleContext, { data, out, opts }: Shown, kwargs: Dict): Promise<string> {
  const used = opts !== undefined && opts.size > 0 ? opts : ctx.opts;
  const output = used.get('output') ?? null;
  const fun = used.get('fun');
  const name = chooseOutputter(out === '' ? undefined : out, {
    output: output === null ? undefined : pyStr(output),
    isStatic: truthy(used.get('static')),
    fun: typeof fun === 'string' ? fun : undefined,
    progress: truthy(used.get('progress')),
  });
  const options = laidOut(used, kwargs, isColoured(used));
  // there is no bar to move forward
  const shown = name === 'progress' ? 'nested' : name;
  return displayOutput(data, shown, options, (message) => ctx.log.error(message));
}

async function showPlainly(ctx: ModuleContext, shown: Shown, kwargs: Dict): Promise<string> {
  return (await show(ctx, shown, kwargs)).replace(ESCAPE_SEQUENCE, '');
}

/** The module. */
export const outModule = defineModule({
  name: 'out',
  file: 'out',
  doc: 'Values as the outputters show them.',
  functions: {
    out_format: defineFunction({
      doc: 'Returns what an outputter shows of a value, with its colours.',
      params: PARAMS,
      kwargs: 'kwargs',
      returns: 'the text, without white space at its end',
      examples: [`salt '*' out.out_format "{'key': 'value'}"`],
      run: (ctx, shown, _rest, kwargs) => show(ctx, shown, kwargs),
    }),
    string_format: defineFunction({
      doc: 'Returns what an outputter shows of a value, without colours.',
      params: PARAMS,
      kwargs: 'kwargs',
      returns: 'the text, without white space at its end',
      examples: [`salt '*' out.string_format "{'key': 'value'}" out=table`],
      run: (ctx, shown, _rest, kwargs) => showPlainly(ctx, shown, kwargs),
    }),
    html_format: defineFunction({
      doc: 'Returns what an outputter shows of a value as HTML: spaces and line ends are kept, and nothing else is escaped.',
      params: PARAMS,
      kwargs: 'kwargs',
      returns: 'the text',
      examples: [`salt '*' out.html_format "{'key': 'value'}" out=yaml`],
      run: async (ctx, shown, _rest, kwargs) =>
        (await showPlainly(ctx, shown, kwargs)).replaceAll(' ', '&nbsp;').replaceAll('\n', '<br />'),
    }),
  },
});
