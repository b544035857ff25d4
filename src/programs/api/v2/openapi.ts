/** The OpenAPI document (3.1), made from the table of routes. */
import { FAULTS, type FaultCode } from './fault.ts';
import type { Route } from './route.ts';
import type { JsonSchema, Schema, Shape } from './schema.ts';

/** A part of the document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: unknown };

/** Codes that any route may answer with. */
const EVERYWHERE: readonly FaultCode[] = [
  'bad-request',
  'bad-address',
  'internal',
  'master-down',
  'not-served',
];
const OF_USERS: readonly FaultCode[] = ['not-logged-in', 'foreign-origin'];

/** The body of every error. */
const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(FAULTS) },
        message: { type: 'string' },
        field: { type: 'string' },
        position: { type: 'integer' },
        details: {},
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
};

/** Makes the document. @param base the address of the interface, `/api/v2` */
export function openApi(
  routes: readonly Route[],
  base: string,
  version: string,
): Readonly<Record<string, unknown>> {
  const paths = new Map<string, Record<string, unknown>>();
  for (const each of routes) {
    const path = paths.get(each.path) ?? {};
    path[each.method.toLowerCase()] = operation(each);
    paths.set(each.path, path);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Brine API',
      version,
      description: 'The second version of the HTTP interface of salt-api.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a session, an API token, or a token of external authentication.',
        },
        cookie: { type: 'apiKey', in: 'cookie', name: 'session_id' },
      },
      schemas: { ...Object.fromEntries(componentsOf(routes)), Error: ERROR_SCHEMA },
    },
  };
}

/** The named schemas of all routes, by name. */
export function componentsOf(routes: readonly Route[]): [string, JsonSchema][] {
  const all = routes.flatMap(({ params, query, body, answer, events }) =>
    [params, query, body, answer, ...Object.values(events ?? {})].flatMap((schema) => [
      ...(schema?.named ?? []),
    ]),
  );
  return [...new Map(all)].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The codes that a route may answer with. */
function codesOf({ auth, faults, needs, method, answer, events }: Route): FaultCode[] {
  const more: FaultCode[] = method === 'POST' ? ['too-large', 'unsupported-media-type'] : [];
  if (answer !== undefined || events !== undefined) more.push('too-busy');
  if (needs !== undefined) more.push('not-allowed');
  const all = [...EVERYWHERE, ...(auth ? OF_USERS : []), ...more, ...faults];
  return [...new Set(all)].sort((a, b) => FAULTS[a].status - FAULTS[b].status || (a < b ? -1 : 1));
}

function operation(each: Route): Readonly<Record<string, unknown>> {
  const { id, summary, doc, auth, needs, params, query, body } = each;
  const right =
    needs === undefined ? undefined : `Takes the right to the ${needs.client} function \`${needs.fun}\`.`;
  const description = [doc, right].filter((part) => part !== undefined).join('\n\n');
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary,
    ...(description === '' ? {} : { description }),
    ...(auth ? {} : { security: [] }),
    parameters: [...parameters(params.shape, 'path'), ...parameters(query.shape, 'query')],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body.json } } } }),
    responses: { ...success(each), ...failures(codesOf(each)) },
  };
}

function parameters(shape: Shape, place: 'path' | 'query'): unknown[] {
  return Object.entries(shape).map(([name, schema]) => {
    const { description, ...json } = schema.json;
    return {
      name,
      in: place,
      required: place === 'path' || !('isOptional' in schema),
      ...(description === undefined ? {} : { description }),
      schema: json,
      ...(json.type === 'array' ? { style: 'form', explode: true } : {}),
    };
  });
}

function success({ status, answer, events, redirects }: Route): Readonly<Record<string, unknown>> {
  if (events !== undefined)
    return {
      '200': {
        description: `Server-sent events: ${Object.keys(events).join(', ')}.`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
        'x-events': Object.fromEntries(
          Object.entries(events).map(([name, schema]: [string, Schema<unknown>]) => [name, schema.json]),
        ),
      },
    };
  if (redirects) return { '302': { description: 'The browser is sent on.' } };
  if (answer === undefined) return { '204': { description: 'Done.' } };
  return {
    [String(status)]: {
      description: 'The answer.',
      content: { 'application/json': { schema: answer.json } },
    },
  };
}

function failures(codes: readonly FaultCode[]): Readonly<Record<string, unknown>> {
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of codes) {
    const { status } = FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      String(status),
      {
        description: list.map((code) => `\`${code}\`: ${FAULTS[code].doc}`).join(' '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
