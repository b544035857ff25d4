/** `module.run`: which form of its arguments was read stands in the log, as with 3006.16. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { localMinion } from '../../../support/local-minion.ts';

test('module.run - the log at debug names the form that was read', async (t) => {
  const minion = localMinion(t);
  minion.write(
    'srv/forms.sls',
    'new: {module.run: [{test.echo: [{text: a}]}]}\nold: {module.run: [{name: test.echo}, {text: a}]}\n',
  );
  await minion.run('state.apply', 'forms', `--log-file=${minion.path('log')}`, '--log-file-level=debug');
  const log = readFileSync(minion.path('log'), 'utf8');
  assert.match(log, /\[DEBUG {3}\].* Using new style module\.run syntax: new$/m);
  assert.match(log, /\[DEBUG {3}\].* Detected legacy module\.run syntax: old$/m);
});
