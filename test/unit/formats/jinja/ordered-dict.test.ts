/**
 * Mappings out of SLS and pillar in templates: recorded from a real Salt 3006.16 without a master, whose pillar was
 * `ALPHA`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compileTemplate,
  jinjaOptions,
  renderJinja,
  type TValue,
} from '../../../../src/formats/jinja/index.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { copyValue } from '../../../../src/python/values/value.ts';

const ALPHA = 'zz: [1]\naa: {y: 1, b: 2}\n';

async function render(source: string): Promise<string> {
  const a = loadYaml(ALPHA, { ordered: true }) as TValue;
  return renderJinja({
    source,
    context: new Map([['a', a]]),
    options: jinjaOptions(() => undefined, false),
    load: () => undefined,
    compile: compileTemplate,
  });
}

const SHOWN = "OrderedDict([('zz', [1]), ('aa', OrderedDict([('y', 1), ('b', 2)]))])";
const RECORDED: readonly (readonly [template: string, text: string])[] = [
  ['{{ a }}', "{'zz': [1], 'aa': {'y': 1, 'b': 2}}"],
  ['{{ [a] }}', "[{'zz': [1], 'aa': {'y': 1, 'b': 2}}]"],
  ['{{ a|string }}', SHOWN],
  ["{{ a ~ '' }}", SHOWN],
  ["{{ '%s'|format(a) }}", SHOWN],
  ["{{ '{}'.format(a) }}", SHOWN],
  ["{{ {'q': a}|string }}", `{'q': ${SHOWN}}`],
  ['{{ (a, 1)|string }}', `(${SHOWN}, 1)`],
  ['{{ a|pprint }}', SHOWN],
  ['{{ a|yaml }}', '{zz: [1], aa: {y: 1, b: 2}}'],
  ['{{ a.copy()|yaml }}', '{zz: [1], aa: {y: 1, b: 2}}'],
  ['{{ dict(a)|yaml }}', '{aa: {y: 1, b: 2}, zz: [1]}'],
  ["{{ {'q': a, 'b': 1}|yaml }}", '{b: 1, q: {zz: [1], aa: {y: 1, b: 2}}}'],
  ['{{ a|json }}', '{"aa": {"b": 2, "y": 1}, "zz": [1]}'],
  ['{{ a|tojson }}', '{"zz": [1], "aa": {"y": 1, "b": 2}}'],
  ['{{ a.keys() }}', "odict_keys(['zz', 'aa'])"],
  ["{{ a == {'aa': {'b': 2, 'y': 1}, 'zz': [1]} }}", 'True'],
  ['{{ a is mapping }}', 'True'],
  ['{% do a.aa.update({"c": 3}) %}{{ a|yaml }}', '{zz: [1], aa: {y: 1, b: 2, c: 3}}'],
];

for (const [template, text] of RECORDED)
  test(`ordered mappings - ${template}`, async () => {
    assert.equal(await render(template), text);
  });

test('ordered mappings - errors name the type', async () => {
  await assert.rejects(
    render('{{ a.nope.x }}'),
    /Jinja variable 'collections\.OrderedDict object' has no attribute 'nope'/,
  );
});

test('ordered mappings - pprint breaks the pairs of a long one', async () => {
  const long = '{% do a.update({"xx": "x" * 40}) %}{{ a|pprint }}';
  assert.equal(
    await render(long),
    `OrderedDict([('zz', [1]),\n             ('aa', OrderedDict([('y', 1), ('b', 2)])),\n             ('xx', '${'x'.repeat(40)}')])`,
  );
});

test('ordered mappings - copies keep the type', () => {
  const value = loadYaml(ALPHA, { ordered: true });
  assert.deepEqual(copyValue(value), value);
});
