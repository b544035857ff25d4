import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

test('runners - vault.show_policies says what the patterns mean for a minion, as that of Salt 3006.16', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cached = join(folder, 'cache', 'minions', 'Web1');
  mkdirSync(cached, { recursive: true });
  writeFileSync(
    join(cached, 'data.p'),
    encode(
      dict({
        grains: dict({ os: 'Debian', id: 'Web1' }),
        pillar: dict({ roles: ['Web', 'db'], more: ['a', 'b'], deep: dict({ a: 1 }) }),
      }),
      'local',
    ),
  );
  const configure = (line: string): void =>
    writeFileSync(
      join(folder, 'master'),
      [`root_dir: ${folder}`, `cachedir: ${folder}/cache`, 'user: root', line, ''].join('\n'),
    );
  const show = async (): Promise<unknown> =>
    (await runMasterFunctionOn(folder, 'runner', 'vault.show_policies', { arg: ['Web1'] })).get('return');
  configure('');
  assert.deepEqual(await show(), ['saltstack/minion/web1', 'saltstack/minions']);
  configure(
    "vault: {policies: ['{grains[os]}', 'role/{pillar[roles]}', 'x/{pillar[deep][a]}/{minion}', '{pillar[none]}', 'two/{pillar[roles]}/{pillar[more]}', '{minion}-{grains[id]}']}",
  );
  assert.deepEqual(await show(), [
    'debian',
    'role/web',
    'role/db',
    'x/1/web1',
    'two/web/a',
    'two/web/b',
    'two/db/a',
    'two/db/b',
    'web1-web1',
  ]);
});
