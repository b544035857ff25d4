/** `file.accumulated`: what a template is given of the texts that states have gathered. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { localMinion } from '../../../support/local-minion.ts';

test('file.accumulated - a template sees plain mappings, as Salt keeps them in a file between states', async (t) => {
  const minion = localMinion(t);
  minion.write('srv/tmpl', '{{ accumulator.n }}');
  minion.write(
    'srv/s.sls',
    [
      `made: {file.managed: [{name: ${minion.path('made')}}, {source: salt://tmpl}, {template: jinja}]}`,
      'gathered:',
      `  file.accumulated: [{name: n}, {filename: ${minion.path('made')}}, {text: [{k: [{v: 1}]}, x]}, {require_in: [{file: made}]}]`,
    ].join('\n'),
  );
  await minion.run('state.apply', 's');
  assert.equal(readFileSync(minion.path('made'), 'utf8'), "[{'k': [{'v': 1}]}, 'x']");
});
