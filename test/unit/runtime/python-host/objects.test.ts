/**
 * What templates do with objects of a site's Python: `{{ … }}` of expressions and templates, recorded from a real Salt
 * 3006.16 (3007.8 gives the same); `!` begins an error.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import {
  compileTemplate,
  jinjaOptions,
  renderJinja,
  RenderError,
  TFunction,
  toValue,
  type TValue,
} from '../../../../src/formats/jinja/index.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import type { PythonCaller } from '../../../../src/runtime/python-host/callers.ts';
import { PythonModules } from '../../../../src/runtime/python-host/python-modules.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const FOLDER = join(ROOT, 'test/fixtures/python-objects');
const PATH = join(FOLDER, 'objs.py');
const skip = spawnSync('/usr/bin/python3', ['--version']).status === 0 ? false : 'there is no python3';
const NAMES = `version versions plain when aware date hours ip net iface ips dec decs path names frozen point gen raw endless colour match in_dict`;

// what runs in Python is looked for beside the code that starts it, which is built into this file
const GUEST = fileURLToPath(new URL('python', import.meta.url));
if (!existsSync(GUEST)) symlinkSync(join(ROOT, 'src/runtime/python-host/guest'), GUEST);

const python = new PythonModules({ clock: systemClock, files: () => [], limitsFunctions: true });
after(() => python.close());

const caller: PythonCaller = {
  log: {
    debug: () => undefined,
    info: () => undefined,
    warning: () => undefined,
    error: () => undefined,
  } as unknown as PythonCaller['log'],
  find: () => Promise.resolve(false),
  names: () => Promise.resolve([]),
  call: () => Promise.reject(new Error('nothing else is called here')),
};
const around = {
  opts: new Map<Value, Value>([['python_seconds_max', 2]]),
  grains: new Map(),
  pillar: new Map(),
};

function functions(): TValue {
  const call = (fun: string, args: readonly Value[], kwargs: Map<Value, Value>): Promise<TValue> =>
    python.call(
      { kind: 'modules', file: 'objs', path: PATH, fun, args, kwargs, keeps: true },
      around,
      caller,
    );
  return new Map(
    NAMES.split(' ').map((name): [TValue, TValue] => [
      name,
      new TFunction(name, (args, kwargs) =>
        call(
          name,
          args.map(toValue),
          new Map(Array.from(kwargs ?? [], ([key, value]) => [key, toValue(value)])),
        ),
      ),
    ]),
  );
}

async function render(expression: string): Promise<string> {
  try {
    return await renderJinja({
      source: expression.includes('{%') ? expression : `{{ ${expression} }}`,
      context: new Map([['o', functions()]]),
      options: jinjaOptions(() => undefined, true),
      load: () => undefined,
      compile: compileTemplate,
    });
  } catch (error) {
    if (error instanceof RenderError) return `! ${error.reason}`;
    throw error;
  }
}

/**
 * Expression, what Salt gives, and what we give where that is something else
 * (docs/differences/templates-and-pillar.md).
 */
type Row = readonly [expression: string, salt: string, ours?: string];

const rows = JSON.parse(readFileSync(join(FOLDER, 'recorded.json'), 'utf8')) as Row[];
for (const [expression, salt, ours = salt] of rows)
  test(`objects in Python - ${expression}`, { skip }, async () => {
    assert.equal(await render(expression), ours);
  });

test(
  'objects in Python - an operator that does not come back is ended by the limit that files have',
  { skip },
  async () => {
    assert.match(
      await render('o.endless() == 1'),
      /it does not come back within 2 seconds \(option python_seconds_max\)/,
    );
    assert.equal(await render("o.version() == '1.2.3'"), 'True');
  },
);

test('objects in Python - a filter asks no more than so many questions', { skip }, async () => {
  assert.equal(
    await render("{% set vs = o.versions() * 501 %}{{ vs|select('eq', '7')|list|length }}"),
    '! Jinja syntax error: it asks objects in Python more than 2000 questions at once',
  );
});
