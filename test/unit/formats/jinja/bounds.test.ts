/** What templates cannot do: run for ever, fill the memory, reach what is behind the values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEFAULT_OPTIONS,
  renderJinja,
  TemplateCache,
  type TValue,
} from '../../../../src/formats/jinja/index.ts';

const cache = new TemplateCache();
const FILES: ReadonlyMap<string, string> = new Map([['self.txt', "{% include 'self.txt' %}"]]);

function render(source: string, context: ReadonlyMap<string, TValue> = new Map()): string | Promise<string> {
  return renderJinja({
    source,
    context,
    options: DEFAULT_OPTIONS,
    load: (name) => {
      const text = FILES.get(name);
      return text === undefined ? undefined : { source: text, path: `/f/${name}` };
    },
    compile: cache.compile,
  });
}

const fails = (source: string, reason: RegExp): Promise<void> =>
  assert.rejects(async () => render(source), reason);

test('jinja - recursion has an end, in macros, includes and loops', async () => {
  await fails('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', /maximum recursion depth exceeded/);
  await fails("{% include 'self.txt' %}", /maximum recursion depth exceeded/);
  await fails('{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}', /maximum recursion depth exceeded/);
});

test('jinja - great ranges, products and powers are refused', async () => {
  await fails('{{ range(100001) }}', /Range too big/);
  await fails("{{ 'x' * 100000000 }}", /the result is too large/);
  await fails('{{ 9 ** 9999999 }}', /the result is too large/);
  await fails("{{ '%99999999d' % 1 }}", /Too many decimal digits/);
});

test('jinja - templates beyond a size are not read, nor what is nested too deep', async () => {
  await fails('x'.repeat(8 * 1024 * 1024 + 1), /the template is too large/);
  await fails(`{{ ${'['.repeat(500)}${']'.repeat(500)} }}`, /nested too deep/);
  await fails(`${'{% if 1 %}'.repeat(500)}${'{% endif %}'.repeat(500)}`, /nested too deep/);
});

test('jinja - nothing leads from a value to what is behind it', async () => {
  for (const name of ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'push', 'then']) {
    for (const value of ["''", '[]', '{}', '5', 'range(2)', 'namespace()', '(1,)', 'true', 'dict']) {
      assert.equal(await render(`{{ (${value}).${name} is defined }}`), 'False', `${value}.${name}`);
      assert.equal(await render(`{{ (${value})['${name}'] is defined }}`), 'False', `${value}['${name}']`);
    }
  }
  await fails("{{ ''.__class__.__mro__ }}", /access to attribute '__class__' of 'str' object is unsafe/);
  await fails("{{ '{0.__class__}'.format(1) }}", /is unsafe/);
  await fails("{{ ''|attr('__class__') }}", /is unsafe/);
});

test('jinja - words of a template never become code', async () => {
  assert.equal(
    await render('{% set constructor = 1 %}{{ constructor }}{% set yield = 2 %}{{ yield }}'),
    '12',
  );
  assert.equal(
    await render(
      '{% set cx = 1 %}{% set r = 2 %}{% set out = 3 %}{{ cx }}{{ r }}{{ out }}{{ "a`${1}\\"\\n" }}',
    ),
    '123a`${1}"\n',
  );
  assert.equal(
    await render("{% set __proto__ = 4 %}{{ __proto__ }}{{ {'__proto__': 5}['__proto__'] }}"),
    '45',
  );
});

test('jinja - a template is compiled once', async () => {
  const before = cache.hits;
  await render('once {{ 1 }}');
  await render('once {{ 1 }}');
  assert.equal(cache.hits, before + 1);
});
