/**
 * Files between real and own programs: a real minion on our master, our minion on a real one, the same bytes and the
 * same lists.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ours, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, restartMaster, untilAnswers } from './real-salt.ts';

const MEGABYTE = 1024 * 1024;
const BIG_MEGABYTES = 200;

function sumOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Two environments, links, empty folders, names in other alphabets, and a file of 200 MB. */
function makeTree(fleet: Fleet): void {
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(fleet.path('srv', path)), { recursive: true });
    writeFileSync(fleet.path('srv', path), content);
  };
  write('base/top.sls', 'base:\n');
  write('base/web/init.sls', '');
  write('base/web/files/binary', randomBytes(300_000));
  write('base/grün/日本 ☃.txt', 'héllo');
  write('base/empty.file', '');
  write('dev/web/init.sls', 'dev');
  for (let i = 0; i < 50; i++) write(`base/many/f${i}`, randomBytes(1024));
  mkdirSync(fleet.path('srv/base/leer/innen'), { recursive: true });
  symlinkSync('web', fleet.path('srv/base/link'));
  symlinkSync('init.sls', fleet.path('srv/base/web/same.sls'));
  const fd = openSync(fleet.path('srv/base/big.bin'), 'w');
  for (let i = 0; i < BIG_MEGABYTES; i++) writeSync(fd, randomBytes(MEGABYTE));
  closeSync(fd);
}

/** Everything that a minion can ask about files, with paths that differ between minions taken out. */
async function answersOf(fleet: Fleet, id: string): Promise<Record<string, unknown>> {
  const calls: Record<string, string[]> = {
    files: ['cp.list_master'],
    dev: ['cp.list_master', 'saltenv=dev'],
    prefix: ['cp.list_master', 'prefix=web'],
    dirs: ['cp.list_master_dirs'],
    links: ['cp.list_master_symlinks'],
    states: ['cp.list_states'],
    hash: ['cp.hash_file', 'salt://web/files/binary'],
    missing: ['cp.hash_file', 'salt://none'],
    stat: ['cp.stat_file', 'salt://web/init.sls'],
    other: ['cp.get_file_str', 'salt://web/init.sls?saltenv=dev'],
    text: ['cp.get_file_str', 'salt://grün/日本 ☃.txt'],
    nothing: ['cp.get_file_str', 'salt://none'],
    cached: ['cp.cache_file', 'salt://grün/日本 ☃.txt'],
    empty: ['cp.cache_file', 'salt://empty.file'],
    uncached: ['cp.cache_file', 'salt://none'],
    traversal: ['cp.get_file', 'salt://../../../../etc/passwd', '/tmp/never'],
    dir: ['cp.get_dir', 'salt://web', fleet.path(id, 'got')],
    leer: ['cp.get_dir', 'salt://leer', fleet.path(id, 'got')],
    many: ['cp.get_dir', 'salt://many', fleet.path(id, 'got'), 'gzip=5'],
    noFolder: ['cp.get_file', 'salt://web/init.sls', fleet.path(id, 'no/such/place')],
    made: ['cp.get_file', 'salt://web/init.sls', fleet.path(id, 'new/place'), 'makedirs=True'],
  };
  const answers: Record<string, unknown> = {};
  for (const [name, words] of Object.entries(calls)) {
    const answer = (await fleet.json(['-t', '60', id, ...words]))[id];
    answers[name] = JSON.parse(JSON.stringify(answer ?? null).replaceAll(fleet.path(id), 'HOME')) as unknown;
  }
  return answers;
}

async function sameBigFile(fleet: Fleet, id: string, programs: Programs): Promise<void> {
  const dest = fleet.path(id, 'big.bin');
  assert.deepEqual(await fleet.json(['-t', '120', id, 'cp.get_file', 'salt://big.bin', dest], programs), {
    [id]: dest,
  });
  assert.equal(sumOf(dest), sumOf(fleet.path('srv/base/big.bin')));
}

function sameBytes(fleet: Fleet, id: string): void {
  const got = (path: string): string => fleet.path(id, 'got', path);
  assert.equal(sumOf(got('web/files/binary')), sumOf(fleet.path('srv/base/web/files/binary')));
  for (let i = 0; i < 50; i++)
    assert.equal(sumOf(got(`many/f${i}`)), sumOf(fleet.path(`srv/base/many/f${i}`)));
  assert.ok(existsSync(got('leer/innen')));
}

async function pushed(fleet: Fleet, id: string, programs: Programs): Promise<void> {
  const source = fleet.path(id, 'big.push');
  writeFileSync(source, randomBytes(3 * MEGABYTE + 7));
  assert.deepEqual(await fleet.json(['-t', '60', id, 'cp.push', source], programs), { [id]: true });
  assert.equal(sumOf(fleet.path(`m/cache/minions/${id}/files${source}`)), sumOf(source));
}

interop('files are the same whoever serves and whoever fetches them', async (t, real) => {
  const fleet = await createFleet(t, ['auto_accept: True', 'file_recv: True', 'timeout: 60']);
  fleet.configureMaster([
    'auto_accept: True',
    'file_recv: True',
    'fileserver_list_cache_time: 0',
    `file_roots: {base: [${fleet.path('srv/base')}], dev: [${fleet.path('srv/dev')}]}`,
  ]);
  makeTree(fleet);
  assert.equal(readlinkSync(fleet.path('srv/base/link')), 'web');
  const answers = new Map<string, Record<string, unknown>>();
  for (const master of [ours, real]) {
    if (master === ours) await fleet.startMaster(master);
    else await restartMaster(fleet, master);
    for (const [id, minion] of [
      ['r1', real],
      ['o1', ours],
    ] as const) {
      if (master === ours) await fleet.joinMinion(id, [], minion);
      await untilAnswers(fleet, id, master);
      answers.set(`${minion.name} on ${master.name}`, await answersOf(fleet, id));
      sameBytes(fleet, id);
      if (minion === master) continue;
      await sameBigFile(fleet, id, master);
      await pushed(fleet, id, master);
    }
  }
  const [first, ...others] = [...answers];
  assert.ok(first !== undefined);
  for (const [name, answer] of others) assert.deepEqual(answer, first[1], `${name} differs from ${first[0]}`);
});

interop('salt-cp of both kinds reaches minions of both kinds', async (t, real) => {
  const fleet = await createFleet(t, ['auto_accept: True']);
  await fleet.startMaster();
  await fleet.joinMinion('r1', [], real);
  await fleet.joinMinion('o1', [], ours);
  for (const id of ['r1', 'o1']) await untilAnswers(fleet, id, ours);
  mkdirSync(fleet.path('src/d/e'), { recursive: true });
  writeFileSync(fleet.path('src/t.txt'), 'hi\n');
  writeFileSync(fleet.path('src/d/binary'), randomBytes(250_000));
  for (const [n, programs] of [ours, real].entries()) {
    const copy = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await fleet.run('salt-cp', ['--out', 'json', '-t', '30', ...words], programs)).stdout);
    for (const id of ['r1', 'o1']) {
      const dest = (name: string): string => fleet.path(`${id}-${n}-${name}`);
      assert.deepEqual(await copy(id, fleet.path('src/t.txt'), dest('t.txt')), {
        [id]: { [dest('t.txt')]: true },
      });
      assert.deepEqual(await copy('-C', id, fleet.path('src/d'), dest('d')), {
        [id]: { [`${dest('d')}/d/binary`]: true, [`${dest('d')}/d/e`]: true },
      });
      assert.equal(sumOf(`${dest('d')}/d/binary`), sumOf(fleet.path('src/d/binary')));
    }
  }
});
