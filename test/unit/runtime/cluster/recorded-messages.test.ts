/** What somebody has recorded on NATS and sends again is not believed: signs of life, events, shared keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../../src/host/clock.ts';
import type { Secret } from '../../../../src/host/secret.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import { SubjectTakenError } from '../../../../src/network/nats/stream.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { Members } from '../../../../src/runtime/cluster/members.ts';
import { HeardOnce, Numbered } from '../../../../src/runtime/cluster/said-once.ts';
import { ClusterSeal } from '../../../../src/runtime/cluster/seal.ts';
import { ClusterKey, type ClusterKeyDeps } from '../../../../src/runtime/cluster/shared-key.ts';
import { keptLog } from '../../../support/attacker.ts';

const START_MS = 1_800_000_000_000;

interface Hands extends Clock {
  move(ms: number): void;
}

function clockOf(): Hands {
  let nowMs = START_MS;
  const timer = { cancel: () => undefined };
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - START_MS,
    after: () => timer,
    every: () => timer,
    sleep: () => Promise.resolve(),
    move: (ms) => {
      nowMs += ms;
    },
  };
}

test('recorded messages - an event of another master is heard once', () => {
  const clock = clockOf();
  const [one, other] = [new Numbered(clock, systemRandom), new Numbered(clock, systemRandom)];
  const heard = new HeardOnce(clock);
  const first = one.marked({ member: 'm1' });
  const second = one.marked({ member: 'm1' });
  assert.deepEqual(
    [first, second].map((each) => heard.isNew(each)),
    [true, true],
  );
  assert.deepEqual(
    [first, second].map((each) => heard.isNew(each)),
    [false, false],
  );
  assert.equal(heard.isNew(other.marked({ member: 'm1' })), true, 'the same master, begun anew');
  const late = other.marked({ member: 'm1' });
  clock.move(16_000);
  assert.equal(heard.isNew(late), false);
  assert.equal(heard.isNew(other.marked({ member: 'm1' })), true);
  for (const odd of [dict(), dict({ run: 'x', number: 'y', atMs: 1 }), dict({ run: 'x', number: 1 })])
    assert.equal(heard.isNew(odd), false);
  assert.equal(heard.counters.again, 6);
});

test('recorded messages - a sign of life of a master that is gone brings it not back', () => {
  const clock = clockOf();
  const seal = new ClusterSeal(generateKeyString(systemRandom));
  const { log, lines } = keptLog();
  let hear: (data: Uint8Array) => void = () => undefined;
  const nats = {
    subscribe: (
      _subject: string,
      options: { callback: (error: null, message: { data: Uint8Array }) => void },
    ) => {
      hear = (data) => options.callback(null, { data });
    },
    publish: () => undefined,
    isClosed: () => false,
  };
  const link = { nats } as unknown as ConstructorParameters<typeof Members>[0]['link'];
  const members = new Members({ link, seal, subject: 's', member: 'm1', clock, log });
  const beat = (): Buffer =>
    seal.seal('state', dict({ member: 'm2', atMs: clock.nowMs(), serial: 0, address: null }));
  const recorded = beat();
  hear(recorded);
  assert.deepEqual(members.others(), ['m2']);
  clock.move(60_000);
  hear(recorded);
  assert.deepEqual(members.others(), []);
  assert.match(lines.join('\n'), /sign of life of the master m2 is 60 s away/);
  hear(beat());
  assert.deepEqual(members.others(), ['m2']);
  members.close();
});

test('recorded messages - an old shared key is not taken, also by a master that begins anew, and is followed by the newest', async () => {
  const clock = clockOf();
  const seal = new ClusterSeal(generateKeyString(systemRandom));
  const stream: Uint8Array[] = [];
  const append = async (
    _subject: string,
    data: Uint8Array,
    { after }: { after: number },
  ): Promise<number> => {
    if (after !== stream.length) throw new SubjectTakenError('taken');
    return stream.push(data);
  };
  const last = async (): Promise<{ data: Uint8Array; sequence: number } | undefined> => {
    const data = stream.at(-1);
    return data === undefined ? undefined : { data, sequence: stream.length };
  };
  const { log, lines } = keptLog();
  const file = { value: 0 };
  const version: ClusterKeyDeps['version'] = {
    get value() {
      return file.value;
    },
    reached: (value) => {
      file.value = Math.max(file.value, value);
    },
    flush: () => undefined,
  };
  let current: Secret<string | Uint8Array> = generateKeyString(systemRandom);
  const make = (): ClusterKey =>
    new ClusterKey({
      link: { streams: { append, last }, failed: () => undefined } as unknown as ClusterKeyDeps['link'],
      ...{ seal, stream: 'S', subject: 's', version, clock, log },
      current: () => current as Secret,
      adopt: (key) => {
        current = key;
      },
    });
  const key = make();
  await key.start();
  const recorded = stream.at(-1) as Uint8Array;
  const old = current.reveal();
  current = generateKeyString(systemRandom);
  const fresh = current.reveal();
  clock.move(1_000);
  await key.changed();
  assert.equal(stream.length, 2);
  // somebody with access to NATS says the old key again
  stream.push(recorded);
  key.heard(recorded, 3);
  await new Promise((done) => setImmediate(done));
  assert.equal(current.reveal(), fresh);
  assert.notEqual(fresh, old);
  assert.equal(stream.length, 4);
  assert.equal(seal.open('state', stream[3] as Uint8Array)?.get('aes'), fresh);
  assert.match(lines.join('\n'), /An old shared key of the cluster was said again/);
  stream.push(recorded);
  await make().start();
  assert.equal(current.reveal(), fresh);
});
