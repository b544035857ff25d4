/** Which functions there are, for forms, completion and documentation. */
import { dict, isDict, type Value } from '../../../../python/values/value.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import type { FunctionEntry, FunctionKind, ParameterEntry } from '../../function-catalog.ts';
import { askMinion } from '../ask-minion.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import {
  anything,
  component,
  dictionary,
  flag,
  list,
  nullable,
  object,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';
import { jsonValue } from '../json.ts';

const summaryShape = {
  name: text(),
  summary: text(),
  changes: nullable(flag('whether it changes anything, where that is known')),
  allowed: flag('whether one may call it, with some arguments on some target'),
} as const;
const summary = component('FunctionSummary', object(summaryShape));
const parameter = component(
  'Param',
  object({
    name: text(),
    type: text({ description: 'the types that it takes, as documentation has them' }),
    doc: text(),
    default: optional(anything()),
    required: flag(),
    keyword_only: flag(),
  }),
);
const detail = component(
  'FunctionDetail',
  object({
    ...summaryShape,
    doc: text(),
    returns: text(),
    examples: list(text()),
    params: list(parameter),
    varargs: flag('takes further arguments'),
    kwargs: flag('takes further keywords'),
    schema: dictionary('JSON Schema of the arguments by name; x-order has their order'),
  }),
);
type Detail = SchemaType<typeof detail>;

const KINDS: readonly (readonly [FunctionKind, string, string])[] = [
  ['local', 'functions', 'execution functions, which work on minions'],
  ['runner', 'runners', 'runners, which work on the master'],
  ['wheel', 'wheel', 'wheel functions, which control the master'],
];

/** The routes. */
export const functionRoutes: readonly Route[] = KINDS.flatMap(([kind, at, what]) => [
  route({
    id: `${at}.list`,
    method: 'GET',
    path: `/${at}`,
    summary: `The ${what}.`,
    doc: 'Those that are built in. What a site has added is known to its minions: ask one with `GET /functions/{name}?minion=ID`.',
    query: {
      search: optional(text({ maxLength: 200, description: 'part of the name or of the summary' })),
      module: optional(text({ maxLength: 100, description: 'the name before the dot' })),
      ...pageQuery,
    },
    answer: page(summary),
    faults: ['bad-cursor'],
    run: async ({ deps, caller, query }) => {
      const search = query.search?.toLowerCase();
      const all = (await deps.catalog.list(kind)).filter(
        (each) =>
          (query.module === undefined || each.name.startsWith(`${query.module}.`)) &&
          (search === undefined ||
            each.name.toLowerCase().includes(search) ||
            each.summary.toLowerCase().includes(search)),
      );
      const found = pageOf(at, all, query);
      const names = found.items.map(({ name }) => name);
      const allowed = await allowedOf(deps, caller, kind, names);
      return {
        ...found,
        items: found.items.map(({ name, summary: said }, index) => ({
          name,
          summary: said,
          changes: null,
          allowed: allowed[index] === true,
        })),
      };
    },
  }),
  route({
    id: `${at}.get`,
    method: 'GET',
    path: `/${at}/{name}`,
    summary: `One of the ${what}, with its documentation and arguments.`,
    params: { name: text({ minLength: 1, maxLength: 200 }) },
    query:
      kind === 'local' ? { minion: optional(text({ maxLength: 256, description: 'asks this minion' })) } : {},
    answer: detail,
    faults: ['not-found', 'not-allowed', 'timed-out'],
    run: async ({ deps, caller, params: { name }, query, signal }) => {
      const minion = (query as { readonly minion?: string }).minion;
      const entry =
        minion === undefined
          ? (await deps.catalog.list(kind)).find((each) => each.name === name)
          : await entryOnMinion(deps, caller, { id: minion, name, signal });
      if (entry === undefined)
        throw new ApiFault(
          'not-found',
          `There is no function ${name} here${kind === 'local' ? '; a minion may have one that a site has added: say minion=ID' : ''}.`,
        );
      const [allowed] = await allowedOf(deps, caller, kind, [name]);
      return detailOf(entry, allowed === true);
    },
  }),
]);

async function allowedOf(
  { rights }: Deps,
  caller: Caller,
  client: FunctionKind,
  names: readonly string[],
): Promise<readonly boolean[]> {
  if (client === 'local') return (await rights.ask(caller, [], { functions: names })).functions;
  const out: boolean[] = [];
  for (let at = 0; at < names.length; at += ASKED_AT_ONCE) {
    const some = names.slice(at, at + ASKED_AT_ONCE);
    const { decisions } = await rights.ask(
      caller,
      some.map((fun) => ({ client, fun })),
    );
    out.push(...decisions.map(({ allowed }) => allowed));
  }
  return out;
}

/** Questions that the master takes in one request. */
const ASKED_AT_ONCE = 500;

/** What a minion says of a function, in Salt's form. */
async function entryOnMinion(
  deps: Deps,
  caller: Caller,
  { id, name, signal }: { readonly id: string; readonly name: string; readonly signal: AbortSignal },
): Promise<FunctionEntry | undefined> {
  const specs = await askMinion(deps, caller, { id, fun: 'sys.argspec', arg: [name], signal });
  const spec = isDict(specs) ? specs.get(name) : undefined;
  if (!isDict(spec)) return undefined;
  const docs = await askMinion(deps, caller, { id, fun: 'sys.doc', arg: [name], signal }).catch(() => null);
  const said = isDict(docs) ? docs.get(name) : undefined;
  const doc = typeof said === 'string' ? said.trim() : '';
  const [args, defaults] = [listOf(spec.get('args')).map(pyStr), listOf(spec.get('defaults'))];
  const params = args.map((each, index): ParameterEntry => {
    const at = index - (args.length - defaults.length);
    return {
      name: each,
      type: 'any',
      doc: '',
      ...(at < 0 ? {} : { default: defaults[at] ?? null }),
      required: at < 0,
      keyword_only: false,
    };
  });
  return {
    name,
    summary: doc.split('\n')[0] ?? '',
    doc,
    returns: '',
    examples: [],
    params,
    varargs: typeof spec.get('varargs') === 'string' || spec.get('varargs') === true,
    kwargs: typeof spec.get('kwargs') === 'string' || spec.get('kwargs') === true,
  };
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}

function detailOf(entry: FunctionEntry, allowed: boolean): Detail {
  return { ...entry, changes: null, allowed, schema: jsonValue(schemaOf(entry)) };
}

/** What documentation calls a type, as JSON Schema has it. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['list', 'array'],
  ['list of str', 'array'],
]);

function schemaOf({ params, kwargs }: FunctionEntry): Readonly<Record<string, unknown>> {
  const properties = params.map(({ name, type, doc, default: value }): [string, unknown] => {
    const types = type.split(' or ').map((each) => TYPES.get(each));
    const known = types.every((each) => each !== undefined)
      ? [...types, ...(value === null ? ['null'] : [])]
      : [];
    return [
      name,
      {
        ...(known.length === 0 ? {} : { type: known.length === 1 ? known[0] : known }),
        ...(doc === '' ? {} : { description: doc }),
        ...(value === undefined ? {} : { default: value }),
      },
    ];
  });
  const required = params.filter((each) => each.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: dict(
      Object.fromEntries(
        properties.map(([name, each]) => [
          name,
          jsonValue(each as object as Readonly<Record<string, unknown>>),
        ]),
      ),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: kwargs,
    'x-order': params.map(({ name }) => name),
  };
}
