/**
 * `elasticsearch`: indices, aliases, templates and pipelines of Elasticsearch (3006.16 salt/states/elasticsearch.py).
 */
import { deepDiff } from '../../formats/data/deep-diff.ts';
import { parseJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { indexAbsent, indexPresent } from './index.state.ts';
import { DEFINITION, INDEX_TEMPLATE, templateAbsent } from './index-template.state.ts';
import { absent, defined, elastic, guarded, present, type Kind } from './state/things.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const PIPELINE: Kind = { noun: 'Pipeline', fun: 'pipeline', key: 'id' };
const SEARCH_TEMPLATE: Kind = { noun: 'Search template', fun: 'search_template', key: 'id' };
const named = (doc: string) => ({ name: param.text({ doc }) }) as const;

/** The definition that an index has for an alias; undefined without one. */
async function aliasOf(ctx: StateContext, name: string, index: string): Promise<Value | undefined> {
  const found = await elastic(ctx, 'alias_get', { aliases: name, indices: index });
  const ofIndex = isDict(found) ? found.get(index) : undefined;
  const aliases = isDict(ofIndex) ? ofIndex.get('aliases') : undefined;
  return isDict(aliases) ? aliases.get(name) : undefined;
}

function aliasAbsent(ctx: StateContext, name: string, index: string): Promise<StateResult> {
  const title = `${name} for index ${index}`;
  return guarded(name, async () => {
    const old = await aliasOf(ctx, name, index);
    if (old === undefined || old === null) return outcome(name, true, `Alias ${title} is already absent`);
    if (ctx.state.test) return outcome(name, null, `Alias ${title} will be removed`, dict({ old }));
    return truthy(await elastic(ctx, 'alias_delete', { aliases: name, indices: index }))
      ? outcome(name, true, `Successfully removed alias ${title}`, dict({ old }))
      : failure(name, `Failed to remove alias ${title} for unknown reasons`);
  });
}

/** What a template of searches holds, as data. @throws JsonSyntaxError */
function searchOf(found: Value): Value | undefined {
  if (!isDict(found) || !truthy(found)) return undefined;
  const text = found.get('template') ?? null;
  return typeof text === 'string' ? parseJson(text) : text;
}

const asDict = (definition: Value): Dict => {
  const read = typeof definition === 'string' ? parseJson(definition) : definition;
  return isDict(read) ? read : dict();
};

/** A template that is there: whether it is the one that is wanted. */
async function checkedTemplate(ctx: StateContext, name: string, definition: Value): Promise<StateResult> {
  const wanted = asDict(definition);
  const found = await elastic(ctx, 'index_template_get', { name });
  const ofName = isDict(found) ? found.get(name) : undefined;
  // what the server adds by itself is no difference
  const current: Dict = new Map(
    [...(isDict(ofName) ? ofName : dict())].filter(
      ([key, value]) =>
        !(['mappings', 'aliases', 'settings'].includes(pyStr(key)) && !truthy(value) && !wanted.has(key)),
    ),
  );
  const changes = deepDiff(current, wanted);
  if (changes.size === 0)
    return outcome(name, true, `Index template ${name} is already present and up to date`);
  if (ctx.state.test)
    return outcome(name, null, `Index template ${name} exist but need to be updated`, changes);
  const made = await elastic(ctx, 'index_template_create', { name, body: definition });
  return truthy(made)
    ? outcome(name, true, `Successfully updated index template ${name}`, changes)
    : failure(name, `Cannot update index template ${name}, ${pyStr(made)}`);
}

/** The states of `elasticsearch`. */
export const elasticsearchStates = defineModule({
  name: 'elasticsearch',
  file: 'elasticsearch',
  doc: 'Indices, aliases, templates and pipelines of Elasticsearch. Where it is says the option elasticsearch.',
  functions: {
    index_absent: indexAbsent,
    index_present: indexPresent,
    alias_absent: defineState({
      doc: 'Makes sure that an index has no such alias.',
      params: { ...named('The alias.'), index: param.text({ doc: 'The index.' }) },
      run: (ctx, { name, index }) => aliasAbsent(ctx, name, index),
    }),
    alias_present: defineState({
      doc: 'Makes sure that an index has an alias.',
      params: {
        ...named('The alias.'),
        index: param.text({ doc: 'The index.' }),
        definition: param.mapping({ default: null, doc: 'Filter and routing.' }),
      },
      run: (ctx, { name, index, definition }) =>
        guarded(name, async () =>
          defined(ctx, {
            name,
            title: `Alias ${name} for index ${index}`,
            old: await aliasOf(ctx, name, index),
            definition,
            make: () => elastic(ctx, 'alias_create', { alias: name, indices: index, body: definition }),
          }),
        ),
    }),
    index_template_absent: templateAbsent,
    index_template_present: defineState({
      doc: 'Makes sure that there is a template of indices.',
      params: {
        ...named('The template.'),
        ...DEFINITION,
        check_definition: param.flag({
          default: false,
          doc: 'One that is there is compared with the definition, and changed.',
        }),
      },
      run: (ctx, { name, definition, check_definition }) =>
        present(
          ctx,
          INDEX_TEMPLATE,
          { name, definition },
          check_definition ? () => checkedTemplate(ctx, name, definition) : undefined,
        ),
    }),
    pipeline_absent: defineState({
      doc: 'Makes sure that there is no such pipeline.',
      params: named('The pipeline.'),
      run: (ctx, { name }) => absent(ctx, PIPELINE, name),
    }),
    pipeline_present: defineState({
      doc: 'Makes sure that there is a pipeline.',
      params: { ...named('The pipeline.'), ...DEFINITION },
      run: (ctx, { name, definition }) =>
        guarded(name, async () => {
          const found = await elastic(ctx, 'pipeline_get', { id: name });
          return defined(ctx, {
            name,
            title: `Pipeline ${name}`,
            old: isDict(found) ? found.get(name) : undefined,
            definition: asDict(definition),
            make: () => elastic(ctx, 'pipeline_create', { id: name, body: definition }),
          });
        }),
    }),
    search_template_absent: defineState({
      doc: 'Makes sure that there is no such template of searches, in servers before 6.',
      params: named('The template.'),
      run: (ctx, { name }) => absent(ctx, SEARCH_TEMPLATE, name, searchOf),
    }),
    search_template_present: defineState({
      doc: 'Makes sure that there is a template of searches, in servers before 6.',
      params: { ...named('The template.'), ...DEFINITION },
      run: (ctx, { name, definition }) =>
        guarded(name, async () =>
          defined(ctx, {
            name,
            title: `Search template ${name}`,
            old: searchOf(await elastic(ctx, 'search_template_get', { id: name })),
            definition: asDict(definition),
            make: () => elastic(ctx, 'search_template_create', { id: name, body: definition }),
          }),
        ),
    }),
  },
});
