import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadSyndicConfig, type SyndicConfig } from '../../../src/config/syndic-options.ts';
import { dict } from '../../../src/python/values/value.ts';
import { folder } from '../../support/attacker.ts';

function load(t: TestContext, master: string[], minion: string[], overrides = dict()): SyndicConfig {
  const configDir = folder(t);
  writeFileSync(join(configDir, 'master'), `${master.join('\n')}\n`);
  writeFileSync(join(configDir, 'minion'), `${minion.join('\n')}\n`);
  return loadSyndicConfig({ configDir, env: {}, overrides });
}

// the values of salt.config.syndic_config of 3006.16 for the same files, but for the publish port
test('syndic options - the id and the keys are the minion’s, folders and masters above the master’s', (t) => {
  const { upper, lower } = load(
    t,
    [
      'id: low_master',
      'user: saltmaster',
      'cachedir: /c/master',
      'pki_dir: /k/master',
      'publish_port: 5505',
      "syndic_master: ['a', 'b:4601']",
      'syndic_master_port: 4599',
      'syndic_log_file: /l/syndic',
      'syndic_pidfile: /p/syndic.pid',
      'log_level: info',
    ],
    ['id: s1', 'pki_dir: /k/minion', 'cachedir: /c/minion', 'master: elsewhere', 'user: other'],
  );
  assert.deepEqual(upper.raw('master'), ['a', 'b:4601']);
  const found = ['id', 'master_port', 'pki_dir', 'cachedir', 'pidfile', 'log_file', 'user', 'log_level'];
  assert.deepEqual(
    found.map((name) => upper.raw(name)),
    ['s1', 4599, '/k/minion', '/c/master', '/p/syndic.pid', '/l/syndic', 'saltmaster', 'info'],
  );
  assert.equal(lower.get('id'), 'low_master');
  assert.equal(upper.raw('publish_port'), undefined);
});

test('syndic options - what is not set, and what the command line says', (t) => {
  const given = dict({ pidfile: '/other.pid', syndic_log_file: '/other.log' });
  const { upper } = load(
    t,
    ['user: root', 'syndic_user: syn', 'syndic_finger: "aa:bb"'],
    ['id: s', 'master_port: 4777', 'publish_port: 4778'],
    given,
  );
  const found = ['master', 'master_port', 'user', 'pidfile', 'log_file', 'master_finger', 'publish_port'];
  assert.deepEqual(
    found.map((name) => upper.raw(name)),
    ['masterofmasters', 4777, 'syn', '/other.pid', '/other.log', 'aa:bb', 4778],
  );
});
