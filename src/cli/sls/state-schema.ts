/** A JSON schema of SLS, for editors: every state with its arguments. */
import type { FunctionDescription, ModuleDescription } from '../../runtime/loader/module.ts';
import { REQUISITES, REQUISITES_IN } from '../../runtime/state/keywords.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Arguments that every state takes, with what is known of their values. */
const OF_EVERY_STATE: Readonly<Record<string, Schema>> = {
  name: { description: 'The name of what is to be; default: the id.' },
  names: { type: 'array', description: 'Several names: the state is called for each.' },
  order: { description: 'A number, first or last.' },
  failhard: { type: 'boolean', description: 'End the run when this state fails.' },
  parallel: { type: 'boolean', description: 'Run beside the others.' },
  onlyif: { description: 'Commands or functions that have to succeed.' },
  unless: { description: 'Commands or functions of which one has to fail.' },
  creates: { description: 'Files that, when they are there, make the state needless.' },
  check_cmd: { description: 'Commands that say whether the state has succeeded.' },
  retry: { description: 'How often to try again.' },
  fire_event: { description: 'Fire an event with the result.' },
  reload_modules: { type: 'boolean' },
  reload_grains: { type: 'boolean' },
  reload_pillar: { type: 'boolean' },
  ...Object.fromEntries(
    [...REQUISITES, ...REQUISITES_IN, 'use', 'use_in'].map((name) => [name, { type: ['array', 'string'] }]),
  ),
};

const TYPES: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ['int', 'integer'],
  ['float', 'number'],
  ['str', 'string'],
  ['list', 'array'],
  ['dict', 'object'],
]);

/** An argument is an item of its own: one of the function, or one that every state takes. */
const EVERY: Schema = { $ref: '#/definitions/every' };

/** The schema (draft 7). @param modules every state module; of several with one name the functions are joined */
export function stateSchema(modules: readonly ModuleDescription[]): Schema {
  const states: Record<string, Schema> = {};
  for (const { name, functions } of modules)
    for (const [fun, spec] of Object.entries(functions)) states[`${name}.${fun}`] ??= stateOf(spec);
  const short = { type: 'string', pattern: '^[a-z_0-9]+\\.[a-z_0-9]+$' };
  const body = { $ref: '#/definitions/states' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Salt states (SLS)',
    type: 'object',
    // what stands everywhere stands here once: written out it would be three times the size of all the rest
    definitions: {
      every: { type: 'object', properties: OF_EVERY_STATE, additionalProperties: false },
      states: { type: 'object', properties: states },
    },
    properties: {
      include: {
        type: 'array',
        items: { type: ['string', 'object'] },
        description: 'SLS that are part of this one.',
      },
      exclude: {
        type: 'array',
        items: { type: ['string', 'object'] },
        description: 'SLS and ids to leave out.',
      },
      extend: {
        type: 'object',
        additionalProperties: body,
        description: 'Changes to states of included SLS.',
      },
    },
    additionalProperties: { anyOf: [short, body] },
  };
}

function stateOf({ doc, params = {}, kwargs }: FunctionDescription): Schema {
  const own = Object.fromEntries(
    Object.entries(params).map(([name, { type, doc: said, default: value }]) => [
      name,
      {
        ...typeOf(type),
        ...(said === undefined ? {} : { description: said }),
        ...(isPlain(value) ? { default: value } : {}),
      },
    ]),
  );
  const argument = {
    type: 'object',
    properties: own,
    ...(kwargs === undefined ? { additionalProperties: false } : {}),
  };
  return { type: 'array', description: doc, items: { anyOf: [{ type: 'string' }, argument, EVERY] } };
}

/** Templates may stand wherever a value does, so that a text always fits. */
function typeOf(type: string | undefined): Schema {
  const names = (type ?? '').split(' or ').map((name) => TYPES.get(name));
  return names.every((name) => name !== undefined)
    ? { type: [...new Set([...names, 'string', 'null'])] }
    : {};
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
