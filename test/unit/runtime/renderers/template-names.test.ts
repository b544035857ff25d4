/**
 * Names of templates that do not start at the top of the file roots: by a path of the machine, relative, and in vain
 * with the reason.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { appliedSls, calledWith } from '../../../support/sls-runs.ts';

test('jinja - a template is imported by a path of the machine, inside and outside of the file roots', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-templates-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'i.jinja'), "{% set x = 'outside-' ~ y|default('') %}");
  writeFileSync(join(folder, 'd.yaml'), 'k: v');
  for (const [line, id] of [
    [`{% set y = 1 %}{% from "${folder}/i.jinja" import x with context %}`, 'outside-1'],
    [`{% import "${folder}/i.jinja" as m %}{% set x = m.x %}`, 'outside-'],
    [`{% import_yaml "${folder}/d.yaml" as d %}{% set x = d.k %}`, 'v'],
    [`{% include "${folder}/i.jinja" %}{% set x = 'i' %}`, 'i'],
    ['{% from "./i.jinja" import x %}', 'inside'],
    ['{% from "../j/i.jinja" import x %}', 'inside'],
  ] as const) {
    const files = { 'j/t.sls': `${line}\n{{ x }}: test.nop\n`, 'j/i.jinja': "{% set x = 'inside' %}" };
    assert.deepEqual(await appliedSls(t, files, 'j.t'), [`test ${id}: true Success!`], line);
  }
});

test('jinja - a template that cannot be found by its name says why', async (t) => {
  for (const [name, reason] of [
    [
      'salt://j/i.jinja',
      /salt:\/\/j\/i\.jinja: templates are named from the top of the file roots, without salt:\/\//,
    ],
    ['../../i.jinja', /it would leave the file roots/],
    ['/no/such.jinja', /a path of the whole machine, and no such template can be read/],
    ['no/such.jinja', /Jinja error: no\/such\.jinja; line 1/],
  ] as const) {
    const files = { 'j/t.sls': `{% from "${name}" import x %}\n`, 'j/i.jinja': '' };
    const { value } = await calledWith(t, files, 'state.show_sls', ['j.t']);
    assert.match(String(value), reason);
  }
});
