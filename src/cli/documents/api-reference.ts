/** The reference of the second version of the API, made from its table of routes. */
import { FAULTS } from '../../programs/api/v2/fault.ts';
import { jsonOf } from '../../programs/api/v2/json.ts';
import { componentsOf } from '../../programs/api/v2/openapi.ts';
import { ROUTES } from '../../programs/api/v2/table.ts';
import type { Route } from '../../programs/api/v2/route.ts';
import type { JsonSchema } from '../../programs/api/v2/schema.ts';

/** Where the page lies. */
export const API_PATH = 'docs/reference/api-v2.md';

const HEAD = `# The second version of the API

Everything below \`/api/v2\` of \`salt-api\`. The same is at \`/api/v2/openapi.json\` as an OpenAPI 3.1 document. The guide is
[api-v2.md](../guides/api-v2.md).

This page is made from \`src/programs/api/v2/table.ts\`.
`;

/** The page. */
export function renderApiReference(): string {
  const faults = Object.entries(FAULTS).map(
    ([code, { status, doc }]) => `| ${status} | \`${code}\` | ${doc} |`,
  );
  const types = componentsOf(ROUTES).map(([name, json]) => `### ${name}\n\n\`${typeText(json)}\`\n`);
  return [
    HEAD,
    '## Operations\n',
    ...ROUTES.map(section),
    '## Types\n',
    ...types,
    '## Errors\n',
    '`{"error": {"code", "message", "field"?, "position"?, "details"?}}`\n',
    '| status | code | when |\n| --- | --- | --- |',
    `${faults.join('\n')}\n`,
  ].join('\n');
}

function section({
  id,
  method,
  path,
  summary,
  doc,
  needs,
  query,
  body,
  status,
  answer,
  events,
  auth,
}: Route): string {
  const lines = [`### ${id}\n`, `\`${method} ${path}\`: ${summary}\n`];
  if (doc !== undefined) lines.push(`${doc}\n`);
  const facts: string[] = [];
  if (!auth) facts.push('- Nobody need have logged in.');
  if (needs !== undefined) facts.push(`- Takes the right to the ${needs.client} function \`${needs.fun}\`.`);
  for (const [name, { json }] of Object.entries(query.shape))
    facts.push(
      `- \`?${name}=\` (\`${typeText(json)}\`)${json.description === undefined ? '' : `: ${json.description}`}`,
    );
  if (body !== undefined) facts.push(`- Body: \`${typeText(body.json)}\``);
  if (answer !== undefined) facts.push(`- Answer ${status}: \`${typeText(answer.json)}\``);
  for (const [name, { json }] of Object.entries(events ?? {}))
    facts.push(`- Event \`${name}\`: \`${typeText(json)}\``);
  if (facts.length > 0) lines.push(`${facts.join('\n')}\n`);
  return lines.join('\n');
}

/** A schema in the words of TypeScript. */
function typeText(json: JsonSchema): string {
  if (json.$ref !== undefined) return json.$ref.slice(json.$ref.lastIndexOf('/') + 1);
  if (json.enum !== undefined) return json.enum.map((each) => jsonOf(each)).join(' | ');
  if (json.anyOf !== undefined) return json.anyOf.map(typeText).join(' | ');
  const types = typeof json.type === 'string' ? [json.type] : (json.type ?? []);
  return types.length === 0 ? 'unknown' : types.map((type) => typeOf(type, json)).join(' | ');
}

function typeOf(
  type: string,
  { items, properties, required = [], additionalProperties }: JsonSchema,
): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const of = typeText(items ?? {});
    return of.includes(' ') && !of.startsWith('{') ? `(${of})[]` : `${of}[]`;
  }
  if (type !== 'object') return type;
  if (properties === undefined)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'unknown'}>`;
  const fields = Object.entries(properties).map(
    ([name, json]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(json)}`,
  );
  return `{ ${fields.join('; ')} }`;
}
