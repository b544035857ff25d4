import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadMasterConfig } from '../../../../src/config/load.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { openRunnerContext } from '../../../../src/programs/runner/runner-context.ts';
import { folder as temporary } from '../../../support/attacker.ts';

test('runner context - who asks is told of what is fired, also by runs inside the run', async (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, 'etc'));
  writeFileSync(join(folder, 'etc', 'master'), `id: m\nroot_dir: ${folder}\n`);
  const opts = loadMasterConfig({ configDir: join(folder, 'etc'), env: {}, log: silentLogger });
  const fired: string[] = [];
  const context = openRunnerContext({
    opts,
    settings: opts.toDict(),
    ...{ jid: '1', user: 'root', env: {}, clock: systemClock, random: systemRandom, log: silentLogger },
    signal: new AbortController().signal,
    print: () => undefined,
    show: () => Promise.resolve(),
    fired: (tag) => void fired.push(tag),
  });
  try {
    await context.fire('outside', new Map());
    await context.run({ kind: 'runner', fun: 'event.send', arg: ['inside'], kwarg: new Map(), jid: '2' });
  } finally {
    await context.close();
  }
  assert.deepEqual(fired, ['outside', 'salt/run/2/new', 'inside', 'salt/run/2/ret']);
});
