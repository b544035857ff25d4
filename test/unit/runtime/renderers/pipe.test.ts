/** The pipe of renderers: which runs, in what order, and what is said of faults. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { TemplateCache } from '../../../../src/formats/jinja/index.ts';
import { RenderPipe, type RendererRules } from '../../../../src/runtime/renderers/pipe.ts';
import type { RenderContext } from '../../../../src/runtime/renderers/renderer.ts';
import { slsVariables } from '../../../../src/runtime/renderers/sls-variables.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { plainMappings } from '../../../support/plain-mappings.ts';

const pipe = new RenderPipe({
  cache: new TemplateCache(),
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
});
const OPEN: RendererRules = { whitelist: [], blacklist: [] };
const context: RenderContext = {
  opt: () => undefined,
  saltenv: 'base',
  sls: 'a.b',
  path: '/srv/salt/a/b.sls',
  variables: new Map([['who', 'x']]),
  functions: {
    has: async (name) => name === 'test.echo',
    call: async (_name, args) => args[0] ?? null,
  },
  readTemplate: () => undefined,
};
const render = async (text: string, rules = OPEN, fallback = 'jinja|yaml'): Promise<Value> =>
  plainMappings(await pipe.render(text, fallback, rules, context));

test('renderers - without a first line of their own files go through the pipe of the options', async () => {
  assert.deepEqual(await render('a: {{ who }}\n'), dict({ a: 'x' }));
});

test('renderers - a first line names the pipe, but not one that names a program', async () => {
  assert.deepEqual(await render("#!yaml\na: '{{ who }}'\n"), dict({ a: '{{ who }}' }));
  assert.deepEqual(await render('#!jinja|json\n{"a": "{{ who }}"}\n'), dict({ a: 'x' }));
  assert.deepEqual(await render('#!yaml_jinja\na: {{ who }}\n'), dict({ a: 'x' }));
  assert.equal(await render('#!jinja|text\nhi {{ who }}\n'), 'hi x\n');
  assert.deepEqual(await render('#!/bin/sh\na: {{ who }}\n'), dict({ a: 'x' }));
});

test('renderers - functions are awaited, missing ones are undefined', async () => {
  assert.deepEqual(
    await render("a: {{ salt['test.echo'](5) }}\nb: {{ salt.test.echo('q') }}\n"),
    dict({ a: 5, b: 'q' }),
  );
  assert.deepEqual(
    await render("a: {{ salt['no.such'] is defined }} {{ 'test.echo' in salt }}\n"),
    dict({ a: 'False True' }),
  );
  await assert.rejects(
    render("{{ salt['no.such']() }}"),
    /Jinja variable 'salt\.utils\.templates\.AliasedLoader object' has no attribute 'no\.such'; line 1/,
  );
});

test('renderers - unknown ones fail with their name, those that are forbidden are left out', async () => {
  await assert.rejects(
    render('#!jinja|nosuch hosts\na: 1\n'),
    /^SaltRenderError: The renderer "nosuch" is not available\. There are: aws_kms, .* yamlex, those of a site/,
  );
  assert.equal(await render('a: {{ who }}\n', { whitelist: [], blacklist: ['yaml'] }), 'a: x\n');
});

test('renderers - empty files are empty mappings', async () => {
  assert.deepEqual(await render(''), new Map());
  assert.deepEqual(await render('{# nothing #}\n'), new Map());
});

test('renderers - faults of YAML are told in the words of libyaml', async () => {
  await assert.rejects(
    render('a: 1\na: 2\n'),
    /found conflicting ID 'a'\n {2}in "<unicode string>", line 2, column 1/,
  );
  await assert.rejects(
    render('a: 1\n\tb: 2\n'),
    /^SaltRenderError: found a tab character that violates indentation$/,
  );
});

test('renderers - what an SLS may ask about its place', () => {
  const names = ['tplfile', 'tpldir', 'tpldot', 'slspath', 'slsdotpath', 'slscolonpath', 'sls_path'];
  const of = (path: string, sls: string): (string | undefined)[] => {
    const all = new Map(slsVariables(path, sls));
    return names.map((name) => all.get(name));
  };
  assert.deepEqual(of('/srv/salt/a/b.sls', 'a.b'), ['a/b.sls', 'a', 'a', 'a', 'a', 'a', 'a']);
  assert.deepEqual(of('/srv/salt/a/b/init.sls', 'a.b'), [
    'a/b/init.sls',
    'a/b',
    'a.b',
    'a/b',
    'a.b',
    'a:b',
    'a_b',
  ]);
  assert.deepEqual(of('/srv/salt/top.sls', 'top'), ['top.sls', '.', '', '', '', '', '']);
});

test('renderers - the template of a file is told nothing of an SLS, and its context may say what it likes', async () => {
  const text =
    "{{ [sls, tplfile, tpldir, slspath, proxy] | reject('undefined') | list | length }} {{ tpldir | default('none') }}";
  const ofFile = (variables: Record<string, string>): Promise<Value> =>
    pipe.render(text, 'jinja|text', OPEN, {
      ...context,
      sls: undefined,
      variables: new Map(Object.entries(variables)),
    });
  assert.equal(await ofFile({}), '0 none');
  assert.equal(await ofFile({ tpldir: 'given' }), '1 given');
  assert.equal(await ofFile({ tpldir: 'given', sls: 'a.b' }), '3 given', 'with slspath');
});

test('renderers - yaml_encode fails for what is undefined, where yaml writes null', async () => {
  await assert.rejects(
    render('a: {{ nope | yaml_encode }}\n'),
    /Jinja error: \('cannot represent an object', Undefined\); line 1/,
  );
  assert.deepEqual(await render('a: {{ nope | yaml }}\n'), dict({ a: null }));
});

test('renderers - an error calls the pillar a wrapper, grains and options plain mappings, as Salt does', async () => {
  const variables = new Map(['grains', 'pillar', 'opts'].map((name) => [name, new Map<Value, Value>()]));
  const of = (text: string): Promise<Value> => pipe.render(text, 'jinja', OPEN, { ...context, variables });
  await assert.rejects(of('{{ grains.nope.x }}'), /Jinja variable 'dict object' has no attribute 'nope'/);
  await assert.rejects(of("{{ opts['nope']['x'] }}"), /Jinja variable 'dict object' has no attribute 'nope'/);
  await assert.rejects(
    of('{{ pillar.nope.x }}'),
    /Jinja variable 'salt\.utils\.context\.NamespacedDictWrapper object' has no attribute 'nope'/,
  );
});

test('renderers - a module that cannot be loaded is no attribute of salt', async () => {
  const functions = { ...context.functions, hasModule: async (name: string) => name === 'test' };
  const of = (text: string): Promise<Value> => pipe.render(text, 'jinja', OPEN, { ...context, functions });
  assert.equal(await of("{{ salt.broken is defined }} {{ salt.test.echo('q') }}"), 'False q');
  await assert.rejects(
    of('{{ salt.broken.get() }}'),
    /Jinja variable 'salt\.utils\.templates\.AliasedLoader object' has no attribute 'broken'/,
  );
  await assert.rejects(
    of('{{ salt.test.nope() }}'),
    /Jinja variable 'salt\.loader\.lazy\.LoadedMod object' has no attribute 'nope'/,
  );
});

test("renderers - what the system refuses a function is told in Python's words", async () => {
  const functions = {
    has: async () => true,
    call: async () => readFileSync('/nonexistent/file', 'utf8'),
  };
  await assert.rejects(
    pipe.render("{{ salt['file.read']('/nonexistent/file') }}", 'jinja', OPEN, { ...context, functions }),
    /Jinja error: \[Errno 2\] No such file or directory: '\/nonexistent\/file'; line 1/,
  );
});
