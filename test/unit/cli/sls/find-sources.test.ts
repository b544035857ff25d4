/** Which folder each SLS of a tree is named from, and what it is for. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { findSources } from '../../../../src/cli/sls/find-sources.ts';
import { folder as temporary } from '../../../support/attacker.ts';

test('sls check - what a file is called, and for what it is, follows from where it lies', (t) => {
  const folder = temporary(t);
  const wanted = {
    'salt-formula/salt/init.sls': '"salt" of the formula, state',
    'salt-formula/salt/master/init.sls': '"salt.master" of the formula, state',
    'site/salt/web/init.sls': '"web" of salt, state',
    'site/salt/web/pillar/data.sls': '"data" of salt/web/pillar, pillar',
    'site/example-pillar/top.sls': '"top" of example-pillar, pillar-top',
    'site/example-pillar/users.sls': '"users" of example-pillar, pillar',
    'envs/pillar/dev/top.sls': '"top" of pillar/dev, pillar-top',
    'envs/pillar/base/users.sls': '"users" of pillar/base, pillar',
    'envs/salt/prod/top.sls': '"top" of salt/prod, top',
    'envs/salt/base/web/init.sls': '"web" of salt/base, state',
    'bare/salt/base/web/init.sls': '"web" of salt/base, state',
    'bare/salt/dev/db.sls': '"db" of salt/dev, state',
    'bare/pillar/base/users.sls': '"base.users" of pillar, pillar',
    'site/pillars/users.sls': '"users" of pillars, pillar',
  };
  for (const path of Object.keys(wanted)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), '{}\n');
  }
  const { sources } = findSources(
    [join(folder, 'salt-formula'), join(folder, 'site'), join(folder, 'envs'), join(folder, 'bare')],
    {
      fileRoots: [],
      pillarRoots: [],
    },
  );
  const found = sources.map(({ path, sls, root, kind }) => {
    const from = relative(folder, root.folder);
    return [
      relative(folder, path),
      `"${sls}" of ${from === 'salt-formula' ? 'the formula' : from.slice(5)}, ${kind}`,
    ];
  });
  assert.deepEqual(Object.fromEntries(found), wanted);
});
