import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { copyInChunks, copyWhole, type Send } from '../../../src/cli/cp/copy.ts';
import { runSaltCp } from '../../../src/cli/cp/salt-cp.ts';
import { readSources, sourcePath, walkSources } from '../../../src/cli/cp/sources.ts';
import { dict, type Dict, type DictInit } from '../../../src/python/values/value.ts';
import { recordedIo } from '../../support/command-io.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'bcp-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Records what is sent; answers for each minion by `answer`. */
function recorder(answer: (args: Dict, id: string) => boolean | string = () => true): {
  send: Send;
  sent: [string, Dict][];
} {
  const sent: [string, Dict][] = [];
  const send: Send = async (fun: string, args: DictInit) => {
    const given = dict(args);
    sent.push([fun, given]);
    return new Map(['a', 'b'].map((id) => [id, answer(given, id)]));
  };
  return { send, sent };
}

test('salt-cp - text files go as they are in one job', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'x'), 'grün');
  const { send, sent } = recorder();
  await copyWhole(send, [join(path, 'x'), join(path, 'missing')], '/dest');
  assert.deepEqual(sent, [['cp.recv', dict({ files: new Map([[join(path, 'x'), 'grün']]), dest: '/dest' })]]);
  assert.throws(() => readSources([path]), {
    exitCode: 1,
    stream: 'stdout',
    message: /is a directory, only files/,
  });
  writeFileSync(join(path, 'binary'), Buffer.from([0xff, 0xfe]));
  assert.throws(() => readSources([join(path, 'binary')]), { stream: 'stderr', message: /Use "--chunked"/ });
});

test('salt-cp - pieces come in order, each packed, with the mode of the file', async (t) => {
  const path = join(folder(t), 'f');
  writeFileSync(path, '0123456789', { mode: 0o750 });
  const { send, sent } = recorder();
  await copyInChunks(send, [path], '/dest', { chunkBytes: 4, gzip: true });
  assert.deepEqual(
    sent.map(([fun, args]) => [
      fun,
      args.get('dest'),
      String(gunzipSync(Buffer.from(String(args.get('chunk')), 'base64'))),
      args.get('append'),
      args.get('mode'),
    ]),
    [
      ['cp.recv_chunked', '/dest', '0123', false, 0o750],
      ['cp.recv_chunked', '/dest', '4567', true, 0o750],
      ['cp.recv_chunked', '/dest', '89', true, 0o750],
    ],
  );
  sent.length = 0;
  writeFileSync(path, '');
  await copyInChunks(send, [path], '/dest', { chunkBytes: 4, gzip: false });
  assert.deepEqual(
    sent.map(([, args]) => [args.get('chunk'), args.get('compressed')]),
    [['', false]],
  );
});

test('salt-cp - folders keep their shape, empty ones too, and loops end', async (t) => {
  const path = folder(t);
  mkdirSync(join(path, 'd/empty'), { recursive: true });
  mkdirSync(join(path, 'd/sub'));
  writeFileSync(join(path, 'd/sub/f'), 'x');
  writeFileSync(join(path, 'g'), 'y');
  symlinkSync('..', join(path, 'd/sub/loop'));
  symlinkSync('nowhere', join(path, 'd/sub/dead'));
  const { send } = recorder();
  const report = await copyInChunks(send, [join(path, 'd'), join(path, 'g')], '/dest', {
    chunkBytes: 10,
    gzip: true,
  });
  const all = dict({ '/dest/d/sub/f': true, '/dest/g': true, '/dest/d/empty': true });
  assert.deepEqual(
    report,
    new Map([
      ['a', all],
      ['b', all],
    ]),
  );
  assert.throws(() => walkSources([join(path, 'none')]), {
    exitCode: 42,
    message: `${join(path, 'none')} does not exist`,
  });
});

test('salt-cp - the first thing that goes wrong with a file is what is reported', async (t) => {
  const path = join(folder(t), 'f');
  writeFileSync(path, 'abcdef');
  let piece = 0;
  const { send } = recorder((_, id) => (id === 'b' && ++piece === 2 ? 'disk full' : true));
  const report = await copyInChunks(send, [path], '/dest/', { chunkBytes: 2, gzip: false });
  assert.deepEqual(
    report,
    new Map([
      ['a', dict({ '/dest/f': true })],
      ['b', dict({ '/dest/f': 'disk full' })],
    ]),
  );
});

test('salt-cp - a link as a source is what it leads to', (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'real'), '');
  symlinkSync('real', join(path, 'link'));
  assert.equal(sourcePath(join(path, 'link')), sourcePath(join(path, 'real')));
  assert.equal(sourcePath('/no/such/file'), '/no/such/file');
});

test('salt-cp - too few words say what is missing and end with 64', async () => {
  const io = recordedIo();
  assert.equal(await runSaltCp(['target'], io), 64);
  assert.match(
    io.written.stderr,
    /^Insufficient arguments: .*\nUsage: salt-cp .*\nExample: salt-cp .*\nAll options: salt-cp --help\n$/,
  );
  assert.equal(io.written.stdout, '');
});

test('salt-cp - a log-in without a system is refused, whether the master runs or not', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'master'), `root_dir: ${path}\n`);
  writeFileSync(join(path, 'x'), 'x');
  for (const option of ['--username=alice', '--make-token']) {
    const io = recordedIo('');
    assert.equal(await runSaltCp(['-c', path, option, 'web1', join(path, 'x'), '/tmp'], io), 64);
    assert.match(io.written.stderr, /option --(username|make-token) needs --eauth/);
  }
});
