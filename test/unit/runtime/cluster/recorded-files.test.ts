/**
 * The streams of a cluster keep the last message of each subject. Whoever can write to NATS puts a recorded message, or
 * anything, in place of the newest: it is not believed, and whoever joins later learns what was decided.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import type { StreamMessage } from '../../../../src/network/nats/reading.ts';
import { SubjectTakenError } from '../../../../src/network/nats/stream.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import type { FileKind } from '../../../../src/runtime/cluster/file-kinds.ts';
import type { ClusterLink } from '../../../../src/runtime/cluster/link.ts';
import { ClusterSeal } from '../../../../src/runtime/cluster/seal.ts';
import { SharedFiles } from '../../../../src/runtime/cluster/shared-files.ts';
import { SharedTokens } from '../../../../src/runtime/cluster/shared-tokens.ts';
import { keptLog } from '../../../support/attacker.ts';
import { until } from '../../../support/fleet.ts';

const SECRET = generateKeyString(systemRandom);

/** A stream that keeps the last message of each subject. */
class LastOnly {
  readonly #last = new Map<string, StreamMessage>();
  readonly #readers: ((message: StreamMessage) => void)[] = [];
  #sequence = 0;

  append(subject: string, data: Uint8Array, { after }: { after?: number } = {}): Promise<number> {
    const standing = this.#last.get(subject)?.sequence ?? 0;
    if (after !== undefined && after !== standing) return Promise.reject(new SubjectTakenError('taken'));
    const message = { sequence: ++this.#sequence, subject, data: Buffer.from(data) };
    this.#last.set(subject, message);
    for (const reader of this.#readers) reader(message);
    return Promise.resolve(message.sequence);
  }

  last(ending: string): StreamMessage {
    const found = [...this.#last.values()].find(({ subject }) => subject.endsWith(ending));
    assert.ok(found, `nothing at ${ending}`);
    return found;
  }

  link(): ClusterLink {
    const streams = {
      append: this.append.bind(this),
      ensure: () => Promise.resolve(),
      catchUp: (_of: unknown, from: number, take: (message: StreamMessage) => void) => {
        const all = [...this.#last.values()].sort((a, b) => a.sequence - b.sequence);
        for (const message of all) if (message.sequence > from) take(message);
        this.#readers.push(take);
        const stop = (): Promise<void> => {
          this.#readers.splice(this.#readers.indexOf(take), 1);
          return Promise.resolve();
        };
        return Promise.resolve({ stop });
      },
    };
    const failed = (reason: string): void => assert.fail(reason);
    return { isThere: true, streams, nats: {}, onChange: () => undefined, failed } as unknown as ClusterLink;
  }
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Master {
  readonly disk: Map<string, Dict>;
  readonly files: SharedFiles;
  readonly lines: readonly string[];
  set(id: string, value: Dict | undefined): void;
}

async function master(t: TestContext, stream: LastOnly): Promise<Master> {
  const disk = new Map<string, Dict>();
  let changed: (id: string) => void = () => undefined;
  const set = (id: string, value: Dict | undefined): void => {
    if (value === undefined) disk.delete(id);
    else disk.set(id, value);
  };
  const kind: FileKind = {
    name: 'key',
    ids: () => disk.keys(),
    read: (id) => disk.get(id),
    write: set,
    watch: (told) => {
      changed = told;
      return { close: () => undefined };
    },
  };
  const { log, lines } = keptLog();
  const files = new SharedFiles({
    link: stream.link(),
    seal: new ClusterSeal(SECRET),
    stream: 'S',
    prefix: 'brine.c.files',
    member: 'm',
    kinds: [kind],
    statePath: join(folder(t), 'state'),
    clock: systemClock,
    random: systemRandom,
    log,
  });
  await files.start();
  t.after(() => files.stop());
  const change = (id: string, value: Dict | undefined): void => {
    set(id, value);
    changed(id);
  };
  return { disk, files, lines, set: change };
}

const KEY = 'key.' + Buffer.from('web1').toString('hex');

test('recorded messages - a deleted key is deleted for who joins after its recording was written again', async (t) => {
  const stream = new LastOnly();
  const one = await master(t, stream);
  const two = await master(t, stream);
  one.set('web1', dict({ accepted: 'K' }));
  await until('the other master has the key', () => two.disk.has('web1'));
  const recorded = stream.last(KEY);
  two.set('web1', undefined);
  await until('the other master has deleted it', () => !one.disk.has('web1'));
  for (const data of [recorded.data, Buffer.from('anything'), Buffer.alloc(0)]) {
    const at = await stream.append(recorded.subject, data);
    await until('the newest state is put back', () => stream.last(KEY).sequence > at);
    const late = await master(t, stream);
    assert.equal(late.disk.has('web1'), false, 'who joins does not accept it');
  }
  assert.ok(!one.disk.has('web1') && !two.disk.has('web1'));
  assert.match(
    [...one.lines, ...two.lines].join('\n'),
    /in place of the newest state of key\/web1 to the cluster's streams/,
  );
  // and what is decided afterwards reaches everybody
  one.set('web1', dict({ accepted: 'L' }));
  await until('a key accepted anew is everywhere', () => two.disk.get('web1')?.get('accepted') === 'L');
});

test('recorded messages - what stands under the subject of a minion that nobody knows keeps nobody out', async (t) => {
  const stream = new LastOnly();
  const one = await master(t, stream);
  const two = await master(t, stream);
  await stream.append(`brine.c.files.${KEY}`, Buffer.from('anything'));
  for (const odd of ['key.zz', 'key', 'nothing.61', `${KEY}.x`])
    await stream.append(`brine.c.files.${odd}`, Buffer.from('x'));
  // the message of one thing under the subject of another is none of it
  one.set('db1', dict({ accepted: 'D' }));
  await until('db1 is everywhere', () => two.disk.has('db1'));
  await stream.append(`brine.c.files.key.${Buffer.from('db2').toString('hex')}`, stream.last('646231').data);
  assert.ok(!two.disk.has('db2'));
  one.set('web1', dict({ accepted: 'K' }));
  await until('the key is everywhere', () => two.disk.has('web1'));
});

test('recorded messages - a revoked token stays so when its recording takes the place of the revocation', async (t) => {
  const stream = new LastOnly();
  const start = async (tokenDir: string, notesDir: string): Promise<SharedTokens> => {
    const tokens = new SharedTokens({
      link: stream.link(),
      seal: new ClusterSeal(SECRET),
      stream: 'T',
      prefix: 'brine.c.tokens',
      replicas: 1,
      lifeMs: 3_600_000,
      tokenDir,
      notesDir,
      clock: systemClock,
      log: keptLog().log,
    });
    await tokens.start();
    return tokens;
  };
  const root = folder(t);
  const dirs = (name: string): [string, string] => [join(root, name, 'tokens'), join(root, name, 'notes')];
  const token = 'a'.repeat(64);
  const file = (name: string): string => join(root, name, 'tokens', token);
  mkdirSync(join(root, 'one', 'tokens'), { recursive: true });
  const expire = systemClock.nowMs() / 1000 + 600;
  writeFileSync(file('one'), encode(dict({ expire, name: 'ops' }), 'local'));
  const one = await start(...dirs('one'));
  const two = await start(...dirs('two'));
  await until('the other master has the token', () => existsSync(file('two')));
  const made = stream.last(`made.${digestIn(root, 'two')}`);
  rmSync(file('one'));
  await until('the other master has it no more', () => !existsSync(file('two')));
  const gone = stream.last(made.subject.replace('.made.', '.gone.').slice('brine.c.tokens'.length));

  // while they listen, it is said again
  const at = await stream.append(gone.subject, made.data);
  await until('the revocation is put back', () => stream.last(gone.subject).sequence > at);
  await one.stop();
  await two.stop();
  // and while they do not, they know it themselves
  await stream.append(gone.subject, made.data);
  await stream.append(made.subject, made.data);
  const again = await start(...dirs('two'));
  t.after(() => again.stop());
  await until('the revocation is put back', () => again.counters.saidAgain > 0);
  assert.ok(!existsSync(file('two')), readdirSync(join(root, 'two', 'notes')).join(' '));
});

/** The digest of the one token that is noted. */
function digestIn(root: string, name: string): string {
  const [digest = ''] = readdirSync(join(root, name, 'notes')).filter((note) => /^[0-9a-f]{64}$/.test(note));
  return digest;
}
