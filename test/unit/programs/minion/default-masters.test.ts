/** Names of masters that stand for what nobody has configured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { minionOptions } from '../../../../src/config/minion-options.ts';
import { whoseDefault } from '../../../../src/programs/minion/admission.ts';

test('master name - one that nobody has chosen and that leads nowhere is told with its option', () => {
  assert.match(
    whoseDefault(String(minionOptions.master.default)),
    /the option master: name the master there$/,
  );
  assert.match(whoseDefault(String(masterOptions.syndic_master.default)), /the option syndic_master, /);
  assert.equal(whoseDefault('salt.example.org'), '');
});
