/** Files from the master, to the master, and from the command line to minions, on the built programs. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { Fleet } from '../support/fleet.ts';

test('files - cp, salt-cp and the fileserver runner', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    'file_recv: True',
    `file_roots: {base: [${fleet.path('base')}], dev: [${fleet.path('dev')}]}`,
    'file_buffer_size: 65536',
  ]);
  for (const folder of ['base/web/empty', 'base/many', 'dev', 'out', 'src/deep/empty'])
    mkdirSync(fleet.path(folder), { recursive: true });
  const big = randomBytes(1_000_000);
  writeFileSync(fleet.path('base/big'), big);
  writeFileSync(fleet.path('base/web/grün ☃.txt'), 'hallo');
  writeFileSync(fleet.path('dev/only'), 'dev');
  symlinkSync('web', fleet.path('base/link'));
  for (let i = 0; i < 200; i++) writeFileSync(fleet.path('base/many', String(i)), randomBytes(100));
  writeFileSync(fleet.path('src/deep/f'), big, { mode: 0o755 });
  writeFileSync(fleet.path('src/t.txt'), 'text');
  await fleet.startMaster();
  await fleet.joinMinion('m1');
  const ask = async (...words: string[]): Promise<unknown> => (await fleet.json(['m1', ...words]))['m1'];
  const out = (name: string): string => fleet.path('out', name);

  await t.test('from the master', async () => {
    assert.equal(await ask('cp.get_file', 'salt://big', out('big')), out('big'));
    assert.ok(readFileSync(out('big')).equals(big));
    assert.equal(await ask('cp.get_file', 'salt://big', out('packed'), 'gzip=1'), out('packed'));
    assert.ok(readFileSync(out('packed')).equals(big));
    assert.equal(await ask('cp.get_file', 'salt://web/grün ☃.txt', `${out('')}`), out('grün ☃.txt'));
    assert.equal(await ask('cp.get_file_str', 'salt://only?saltenv=dev'), 'dev');
    const many = (await ask('cp.get_dir', 'salt://many', fleet.path('out'))) as string[];
    assert.equal(many.length, 200);
    assert.ok(readFileSync(out('many/77')).equals(readFileSync(fleet.path('base/many/77'))));
    assert.equal(await ask('cp.get_file', 'salt://../m/pki/master.pem', out('stolen')), '');
    assert.ok(!existsSync(out('stolen')));
    assert.equal(await ask('cp.cache_file', 'salt://big'), fleet.path('m1/cache/files/base/big'));
  });

  await t.test('to the master', async () => {
    assert.equal(await ask('cp.push', out('big')), true);
    assert.ok(readFileSync(fleet.path('m/cache/minions/m1/files', out('big'))).equals(big));
    assert.match(
      String(await ask('cp.push', out('big'), 'upload_path=../../../../stolen')),
      /^ERROR: cp\.push does not send \.\.\/.*: upload_path must be without \.\.\//,
    );
  });

  await t.test('salt-cp', async () => {
    const copy = (...words: string[]): ReturnType<Fleet['run']> => fleet.run('salt-cp', words);
    const whole = await copy('--out', 'json', 'm1', fleet.path('src/t.txt'), fleet.path('out'));
    assert.deepEqual(JSON.parse(whole.stdout), { m1: { [out('t.txt')]: true } });
    const pieces = await copy('-C', '--out', 'json', 'm1', fleet.path('src/deep'), out('copy'));
    assert.deepEqual(JSON.parse(pieces.stdout), {
      m1: { [out('copy/deep/empty')]: true, [out('copy/deep/f')]: true },
    });
    assert.ok(readFileSync(out('copy/deep/f')).equals(big));
    assert.equal(statSync(out('copy/deep/f')).mode & 0o777, 0o755);
    const folder = await copy('m1', fleet.path('src/deep'), out('x'));
    assert.equal(folder.code, 1);
    assert.match(folder.stdout, /is a directory, only files are supported in non-chunked mode/);
    const missing = await copy('-C', 'm1', '/no/such/file', out('x'));
    assert.deepEqual(
      [missing.code, missing.stdout, missing.stderr],
      [42, '', '/no/such/file does not exist\n'],
    );
    const nobody = await copy('nobody', fleet.path('src/t.txt'), out('x'));
    assert.match(nobody.stdout, /^No minions matched the target\./);
  });

  await t.test('the fileserver runner', async () => {
    const run = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await fleet.run('salt-run', ['--out', 'json', ...words])).stdout) as unknown;
    assert.deepEqual(await run('fileserver.envs'), ['base', 'dev']);
    assert.deepEqual(await run('fileserver.symlink_list'), { link: 'web' });
    assert.deepEqual(await run('fileserver.empty_dir_list'), ['link/empty', 'web/empty']);
    writeFileSync(fleet.path('dev/new'), '');
    assert.deepEqual(await run('fileserver.file_list', 'saltenv=dev'), ['new', 'only']);
    assert.deepEqual(await run('fileserver.clear_file_list_cache'), { roots: ['base', 'dev'] });
  });
});
