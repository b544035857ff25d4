/** The table of routes of the second version of the API, and the document that is made from it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOf } from '../../../../src/programs/api/v2/json.ts';
import { openApi } from '../../../../src/programs/api/v2/openapi.ts';
import { ROUTES } from '../../../../src/programs/api/v2/table.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const document = JSON.parse(jsonOf(openApi(ROUTES, '/api/v2', '0'))) as Document;

test('API v2 - every route is in the document, once, with its parameters', () => {
  const ids = ROUTES.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id, method, path, params } of ROUTES) {
    const operation = document.paths[path]?.[method.toLowerCase()];
    assert.equal(operation?.operationId, id, `${method} ${path}`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    assert.deepEqual(Object.keys(params.shape).sort(), named, `${path} reads what stands in it`);
    const inPath = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name);
    assert.deepEqual(inPath.sort(), named);
    assert.ok(Object.keys(operation.responses).length > 1, `${id} can fail`);
  }
  const described = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  assert.equal(described, ROUTES.length);
});

test('API v2 - whatever the document refers to is in it, and nothing else', () => {
  const refers = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual([...new Set(refers)].sort(), Object.keys(document.components.schemas).sort());
});
