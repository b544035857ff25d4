/**
 * A master that root starts and that runs as another account (`user`): what it is afterwards, and what it touches on
 * the way.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { findUser } from '../../src/host/users.ts';
import { requireReadablePrograms } from '../../src/programs/daemon/program-access.ts';
import { Fleet, namesIn, ours, runProgram, until } from '../support/fleet.ts';

const isRoot = userInfo().uid === 0;

/** Why no master can run as another account here: false when one can. */
async function obstacle(): Promise<string | false> {
  const account = await findUser('nobody');
  if (!isRoot || account === undefined) return 'needs root and the account nobody';
  return requireReadablePrograms(account, [join(ours.folder, 'salt-master'), process.execPath]).then(
    () => false,
    (error: unknown) => String(error),
  );
}

test('started by root - a master that runs as another account', { skip: await obstacle() }, async (t) => {
  const account = await findUser('nobody');
  assert.ok(account !== undefined);
  const { uid, gid } = account;
  const fleet = await Fleet.create(t);
  const config = fleet.path('m', 'master');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^user: .*$/m, 'user: nobody'));
  chmodSync(fleet.folder, 0o711);
  // the account's own folders, as an earlier run has left them and as whoever has taken the account over has prepared
  // them
  for (const name of ['cache', 'cache/deep', 'pki', 'run', 'log']) mkdirSync(fleet.path('m', name));
  for (const name of ['', 'cache', 'cache/deep', 'pki', 'run', 'log'])
    chownSync(fleet.path('m', name), uid, gid);
  mkdirSync(fleet.path('victim'), { mode: 0o755 });
  const precious = ['file', 'second name', 'third', 'log'].map((name) => fleet.path('victim', name));
  for (const path of precious) writeFileSync(path, 'precious', { mode: 0o600 });
  const [file, hard, deep, log] = precious as [string, string, string, string];
  symlinkSync(file, fleet.path('m/cache/link'));
  linkSync(hard, fleet.path('m/cache/hard'));
  symlinkSync(deep, fleet.path('m/cache/deep/link'));
  symlinkSync(log, fleet.path('m/log/log'));
  symlinkSync(fleet.path('victim'), fleet.path('m/cache/syndics'));
  symlinkSync(fleet.path('victim'), fleet.path('m/cache/tokens'));
  for (const name of ['log/log', 'cache/syndics', 'cache/tokens'])
    lchownSync(fleet.path('m', name), uid, gid);
  const untouched = (): void => {
    assert.equal(statSync(fleet.path('victim')).mode & 0o777, 0o755);
    for (const path of [fleet.path('victim'), ...precious]) assert.equal(statSync(path).uid, 0, path);
    for (const path of precious) assert.equal(readFileSync(path, 'utf8'), 'precious', path);
  };

  await t.test(
    'links in its folders: root empties, closes, gives away and writes nothing behind them',
    async () => {
      const master = fleet.start('salt-master', ['-c', fleet.masterDir, '-l', 'info']);
      await until(
        'it has ended or started',
        () => master.child.exitCode !== null || master.log.includes('Worker'),
      );
      assert.ok(master.child.exitCode, 'it does not start');
      assert.match(master.log, /Failed to prepare .*(tokens|syndics|victim)/);
      untouched();
    },
  );

  await t.test('CVE-2013-6617 - it keeps no group of root', async () => {
    for (const name of ['syndics', 'tokens']) rmSync(fleet.path('m/cache', name));
    const master = await fleet.startMaster();
    const pids = [master.child.pid as number, ...master.children().values()];
    assert.ok(pids.length >= 6);
    for (const pid of pids) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const numbers = (name: string): string[] =>
        (new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '').trim().split(/\s+/);
      assert.deepEqual(numbers('Uid'), Array(4).fill(String(uid)), `process ${pid}`);
      assert.deepEqual(numbers('Gid'), Array(4).fill(String(gid)), `process ${pid}`);
      assert.ok(!numbers('Groups').includes('0'), `process ${pid}: ${numbers('Groups').join(' ')}`);
    }
    assert.ok(existsSync(fleet.path('m/cache/.nobody_key')));
    assert.equal(statSync(fleet.path('m/cache/.nobody_key')).uid, uid);
    assert.equal(statSync(fleet.path('m/cache/deep')).uid, uid);
    assert.equal(statSync(fleet.path('m/cache/tokens')).mode & 0o777, 0o700);
    assert.equal(statSync(fleet.path('m/cache/tokens')).uid, uid);
    untouched();
  });
});

test(
  'started by root - an account that cannot read the program is named, and nothing is made but the log',
  { skip: !isRoot && 'needs root' },
  async (t) => {
    const fleet = await Fleet.create(t);
    const config = fleet.path('m', 'master');
    writeFileSync(config, readFileSync(config, 'utf8').replace(/^user: .*$/m, 'user: nobody'));
    chmodSync(fleet.folder, 0o711);
    // a copy in a folder of root, as below /root
    for (const name of ['bin', 'dist']) mkdirSync(fleet.path('closed', name), { recursive: true });
    chmodSync(fleet.path('closed'), 0o700);
    cpSync(ours.folder, fleet.path('closed/bin'), { recursive: true });
    const built = join(ours.folder, '../dist');
    for (const name of readdirSync(built).filter((one) => /^salt-(master|key)\./.test(one)))
      cpSync(join(built, name), fleet.path('closed/dist', name));
    for (const [name, ...words] of [['salt-master'], ['salt-key', '-L']] as const) {
      const program = fleet.path('closed/bin', name);
      const ended = await runProgram(program, ['-c', fleet.masterDir, ...words]);
      assert.equal(
        ended.stderr,
        `The user nobody cannot read the program ${program}: ${fleet.path('closed')} is closed to that account. ` +
          'Install the program where the account can read it, or name another account in the option user.\n',
      );
      assert.equal(ended.code, 1, name);
      assert.deepEqual(namesIn(fleet.masterDir), ['log', 'master']);
    }
  },
);
