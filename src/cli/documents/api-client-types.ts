/** The types and addresses of the client of the API's second version, made from its table of routes. */
import { FAULTS } from '../../programs/api/v2/fault.ts';
import { componentsOf } from '../../programs/api/v2/openapi.ts';
import type { Route } from '../../programs/api/v2/route.ts';
import type { JsonSchema, Schema, Shape } from '../../programs/api/v2/schema.ts';
import { ROUTES } from '../../programs/api/v2/table.ts';

/** Where the file lies. */
export const CLIENT_TYPES_PATH = 'src/api-client/operations.ts';

const HEAD = `/**
 * What the second version of the API takes and answers. Made from \`src/programs/api/v2/table.ts\` by
 * \`scripts/generate-docs.ts\`: change it there.
 */
`;

/** The file. */
export function renderClientTypes(): string {
  const called = ROUTES.filter(({ redirects }) => !redirects);
  const types = componentsOf(ROUTES).map(
    ([name, json]) => `${comment(json.description, '')}export type ${name} = ${typeText(json, '')};\n`,
  );
  const codes = Object.entries(FAULTS).map(([code, { doc }]) => `${comment(doc, '  ')}  | '${code}'`);
  return [
    HEAD,
    `/** Why a request was not served; none is ever given another meaning. */\nexport type ErrorCode =\n${codes.join('\n')};\n`,
    ...types,
    `/** Calls that are answered, by their names. */\nexport interface Operations {\n${called
      .filter(({ events }) => events === undefined)
      .map((each) => entry(each, answerOf(each)))
      .join('')}}\n`,
    `/** Streams of events, by their names. */\nexport interface Streams {\n${called
      .filter(({ events }) => events !== undefined)
      .map((each) => entry(each, eventsOf(each)))
      .join('')}}\n`,
    `/** Method and address of each, below the base. */\nexport const ADDRESSES: Readonly<\n  Record<keyof Operations | keyof Streams, readonly [method: 'GET' | 'POST' | 'DELETE', path: string]>\n> = {\n${called
      .map(({ id, method, path }) => `  '${id}': ['${method}', '${path}'],\n`)
      .join('')}};\n`,
  ].join('\n');
}

function entry({ id, summary, params, query, body }: Route, last: string): string {
  const parts = [
    ...fieldsOf('params', params.shape),
    ...fieldsOf('query', query.shape),
    ...(body === undefined ? [] : [`    readonly body: ${typeText(body.json, '    ')};\n`]),
  ];
  return `${comment(summary, '  ')}  '${id}': {\n${parts.join('')}${last}  };\n`;
}

function fieldsOf(name: string, shape: Shape): string[] {
  const fields = Object.entries(shape);
  if (fields.length === 0) return [];
  const isOptional = fields.every(([, schema]) => 'isOptional' in schema);
  const lines = fields.map(([field, schema]) =>
    fieldText(field, schema.json, !('isOptional' in schema), '      '),
  );
  return [`    readonly ${name}${isOptional ? '?' : ''}: {\n${lines.join('')}    };\n`];
}

function answerOf({ answer }: Route): string {
  return `    readonly answer: ${answer === undefined ? 'undefined' : typeText(answer.json, '    ')};\n`;
}

function eventsOf({ events = {} }: Route): string {
  const kinds = Object.entries<Schema<unknown>>(events).map(([name, { json }]) =>
    fieldText(name, json, true, '      '),
  );
  return `    readonly events: {\n${kinds.join('')}    };\n`;
}

function fieldText(name: string, json: JsonSchema, isRequired: boolean, indent: string): string {
  const key = /^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`;
  return `${comment(json.description, indent)}${indent}readonly ${key}${isRequired ? '' : '?'}: ${typeText(json, indent)};\n`;
}

function typeText(json: JsonSchema, indent: string): string {
  const { $ref, anyOf, type, properties, required = [], additionalProperties, items } = json;
  if ($ref !== undefined) return $ref.replace(/^.*\//, '');
  if (json.enum !== undefined)
    return json.enum.map((each) => JSON.stringify(each).replaceAll('"', "'")).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map((each) => typeText(each, indent)))].join(' | ');
  if (Array.isArray(type))
    return [...new Set((type as string[]).map((each) => typeText({ ...json, type: each }, indent)))].join(
      ' | ',
    );
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${typeText(items ?? {}, indent)})[]`;
    case 'object':
      break;
    default:
      return 'unknown';
  }
  if (properties === undefined) {
    const of = typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${of}>>`;
  }
  const fields = Object.entries(properties).map(([name, each]) =>
    fieldText(name, each, required.includes(name), `${indent}  `),
  );
  return `{\n${fields.join('')}${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}
