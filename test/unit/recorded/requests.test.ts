/** Encrypted requests of real minions at our door, and replies of a real master at our minion's channel. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { AcceptedKeys } from '../../../src/network/channel/accepted-keys.ts';
import { Door, type AesHandler, type AesReply, type AesRequest } from '../../../src/network/channel/door.ts';
import type { AuthClient, MinionCredentials } from '../../../src/network/channel/client/authenticate.ts';
import { RequestChannel } from '../../../src/network/channel/client/request-channel.ts';
import { SessionKeys } from '../../../src/network/channel/session-keys.ts';
import { Crypticle } from '../../../src/network/crypto/crypticle.ts';
import { systemClock, type Clock } from '../../../src/host/clock.ts';
import { makeDirectory } from '../../../src/host/files.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { Secret } from '../../../src/host/secret.ts';
import type { Requester } from '../../../src/network/transport/zmtp/requester.ts';
import { type Dict, type Value } from '../../../src/python/values/value.ts';
import { asBytes, decode, encode } from '../../../src/formats/wire/msgpack.ts';
import { authClient, folder, keptLog, keyPolicy } from '../../support/attacker.ts';
import { guardedDoor } from '../../support/guarded-door.ts';
import { bytes, difference, RecordedKeys, rowsOf, SALTS } from './recording.ts';

interface Row {
  readonly name: string;
  readonly recording: string;
  readonly origin: string;
  readonly version: number;
  readonly id: string | null;
  readonly cmd?: string | null;
  readonly key: string;
  readonly nonce?: string | null;
  readonly request: string;
  readonly reply: string | null;
  readonly command?: Record<string, unknown>;
  readonly replyKind: 'encrypted' | 'text' | 'private' | 'map' | 'none';
  readonly replyNonce?: string | null;
  readonly resultPillar?: Record<string, unknown>;
}

const BAD = 'bad load';

/** Where we are stricter than Salt or answer what Salt leaves unanswered, on purpose (docs/differences.md). */
const OUR_ANSWERS: ReadonlyMap<string, string> = new Map([
  // a request without a nonce could be played again
  ['no nonce', BAD],
  ['_pillar without nonce', BAD],
  // the proof of the key is demanded of every version, which old minions give with some of their requests only
  ...['first start of old2: _pillar', 'ping old2: _return', 'file old2: _file_list'].map(
    (name) => [name, BAD] as const,
  ),
  ...['first start of old0: _pillar', 'ping old0: _return', 'file old0: _file_list'].map(
    (name) => [name, BAD] as const,
  ),
  ['version 2 without tok', BAD],
  ['version 1', BAD],
  ['version 0', BAD],
  ['_pillar version 0', BAD],
  // one refusal for every id that is none
  ['inner id with NUL', BAD],
  ['inner id not text', BAD],
  // Salt never answers these
  ['no prefix in plaintext', 'payload and load must be a dict'],
  ['inner id absent', BAD],
]);

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const rows = rowsOf<Row>(version, 'requests');

  test(`recorded ${version} - requests pass the door, and their replies are the same bytes`, async (t) => {
    const doors = new Map<string, RecordedDoor>();
    const wrong: string[] = [];
    for (const row of rows) {
      // a clock that was set back ends a session: this one stands apart
      const group = row.name === 'old ts' ? row.name : row.recording;
      let door = doors.get(group);
      if (door === undefined) doors.set(group, (door = new RecordedDoor(t, keys, row.recording, 0)));
      const fault = await door.compare(row);
      if (fault !== undefined) wrong.push(`${row.name}: ${fault}`);
    }
    assert.deepEqual(wrong, []);
  });

  test(`recorded ${version} - versions below 3 are refused unless they are allowed`, async (t) => {
    const door = new RecordedDoor(t, keys, 'main', 3);
    for (const row of rows.filter(({ version: spoken, recording }) => spoken < 3 && recording === 'main')) {
      assert.equal(decode(await door.answer(row), 'network'), BAD, row.name);
      assert.equal(door.passed.length, 0);
    }
  });

  test(`recorded ${version} - a request that was heard once is refused the second time`, async (t) => {
    const door = new RecordedDoor(t, keys, 'main', 0);
    const row = rows.find(({ name }) => name === 'ping all: _return') as Row;
    assert.notEqual(decode(await door.answer(row), 'network'), BAD);
    assert.equal(decode(await door.answer(row), 'network'), BAD);
    assert.equal(door.passed.length, 1);
  });

  test(`recorded ${version} - our minion asks what a real one asks, and reads what a real master answers`, async (t) => {
    const real = rows.filter((row) => row.origin.startsWith('real') && row.version === 3);
    assert.ok(real.length > 30);
    for (const row of real) await asksTheSame(t, keys, row);
  });

  test(`recorded ${version} - our minion authenticates anew when a real master refuses`, async (t) => {
    const row = rows.find(({ name }) => name === 'tok by other key') as Row;
    const { channel, renewals } = recordedChannel(t, keys, row);
    await assert.rejects(channel.send(new Map([['cmd', '_file_envs']]), { timeoutMs: 1, tries: 1 }), {
      name: 'AuthenticationError',
    });
    assert.equal(renewals(), 1);
  });
}

/** A door that knows what the master of a recording knew. */
class RecordedDoor {
  readonly passed: AesRequest[] = [];
  readonly #keys: RecordedKeys;
  readonly #send: ReturnType<typeof guardedDoor>;
  #row: Row | undefined;

  constructor(t: TestContext, keys: RecordedKeys, recording: string, minimumVersion: number) {
    const root = folder(t);
    const keysFolder = join(root, 'minions');
    makeDirectory(keysFolder, 0o755);
    for (const [id, name] of keys.minions(recording))
      writeFileSync(join(keysFolder, id), keys.publicFile(name));
    const sessions = new SessionKeys(join(root, 'sessions'), 86_400_000, systemClock);
    for (const [id, text] of keys.sessions(recording)) writeFileSync(join(root, 'sessions', id), text);
    const shared = keys.shared(recording).map((text) => new Crypticle(new Secret(text)));
    const forget = (id: string): void => {
      sessions.remove(id);
      rmSync(join(keysFolder, id));
    };
    this.#keys = keys;
    const door = new Door({
      clear: new Map(),
      aes: new Map(COMMANDS.map((cmd) => [cmd, this.#handler(cmd === 'revoke_auth' ? forget : undefined)])),
      authenticate: () => 'never',
      sessions,
      keys: new AcceptedKeys(keysFolder, systemClock),
      knowsUser: () => false,
      sharedKeys: () => shared,
      minimumVersion,
      ttlSeconds: 0,
      clock: systemClock,
      log: keptLog().log,
    });
    this.#send = guardedDoor(door);
  }

  answer(row: Row): Promise<Buffer> {
    this.#row = row;
    return this.#send(bytes(row.request), 'recorded');
  }

  /** @returns how our answer, or what was dispatched, differs from what was recorded */
  async compare(row: Row): Promise<string | undefined> {
    const before = this.passed.length;
    const reply = decode(await this.answer(row), 'network');
    const request = this.passed[before];
    const own = OUR_ANSWERS.get(row.name);
    if (own !== undefined)
      return reply === own && request === undefined ? undefined : `answered ${String(reply)}`;
    if (row.replyKind === 'text') return textDifference(reply, row);
    if (request === undefined && !UNKNOWN.has(String(row.cmd))) return `was not dispatched: ${String(reply)}`;
    if (request !== undefined) {
      const { nonce: _nonce, tok: _tok, ...load } = row.command ?? {};
      const fault = difference(request.load, load, this.#keys, 'load');
      if (fault !== undefined) return fault;
      if (request.id !== row.id && row.version >= 3) return `came from ${request.id}`;
    }
    if (row.replyKind === 'private') return undefined;
    const crypticle = new Crypticle(new Secret(row.key));
    const ours = crypticle.decrypt(asBytes(reply) as Buffer).toString('hex');
    const theirs = crypticle.decrypt(recordedReply(row)).toString('hex');
    return ours === theirs ? undefined : `the reply is ${ours} and not ${theirs}`;
  }

  /** Answers what the real master answered: the door's part of the reply is what is looked at. */
  #handler(forget: ((id: string) => void) | undefined): AesHandler {
    return (request): AesReply => {
      this.passed.push(request);
      forget?.(request.id);
      const row = this.#row as Row;
      if (row.replyKind === 'private') return { raw: 'a pillar' };
      return { value: openedReply(row) };
    };
  }
}

/** Commands behind the door; the recording has others, which are unknown to a real master too. */
const COMMANDS = [
  ...['verify_minion', '_master_tops', '_master_opts', '_mine', '_mine_get', '_mine_delete', '_mine_flush'],
  ...['_file_recv', '_pillar', '_minion_event', '_return', '_syndic_return', 'minion_runner', 'pub_ret'],
  ...['minion_pub', 'minion_publish', 'revoke_auth', '_serve_file', '_file_find', '_file_hash'],
  ...[
    '_file_hash_and_stat',
    '_file_list',
    '_file_list_emptydirs',
    '_dir_list',
    '_symlink_list',
    '_file_envs',
  ],
];
const UNKNOWN = new Set(['nosuch', '_ext_nodes', 'publish', '__init__']);

function textDifference(reply: Value, row: Row): string | undefined {
  const expected = decode(bytes(row.reply as string), 'network');
  return reply === expected ? undefined : `answered ${String(reply)} and not ${String(expected)}`;
}

/** The ciphertext of a reply. */
function recordedReply(row: Row): Buffer {
  return asBytes(decode(bytes(row.reply as string), 'network')) as Buffer;
}

function openedReply(row: Row): Value {
  const crypticle = new Crypticle(new Secret(row.key));
  return crypticle.loads(recordedReply(row), row.replyNonce ?? undefined) as Value;
}

/** A minion's channel at the time of a recorded request, with the master's recorded reply coming back. */
function recordedChannel(
  t: TestContext,
  keys: RecordedKeys,
  row: Row,
): { channel: RequestChannel; sent: () => Buffer; renewals: () => number } {
  const id = row.id as string;
  const pair = keys.pair(keys.minions(row.recording).get(id) as string);
  const outer = decode(bytes(row.request), 'network') as Dict;
  const client: AuthClient = {
    ...authClient(id, pair, keyPolicy(folder(t))),
    encAlgo: String(outer.get('enc_algo')),
    sigAlgo: String(outer.get('sig_algo')),
  };
  const credentials: MinionCredentials = {
    shared: new Crypticle(new Secret(keys.shared(row.recording)[0] as string)),
    session: new Crypticle(new Secret(row.key)),
    publishPort: 4505,
    masterKey: keys.pair('master').publicKey,
  };
  const tsSeconds = Number((row.command ?? {})['ts'] ?? 0);
  const clock: Clock = { ...systemClock, nowMs: () => tsSeconds * 1000 };
  let body: Buffer | undefined;
  let renewed = 0;
  const requester = {
    request: async (sent: Buffer) => {
      body = sent;
      return bytes(row.reply as string);
    },
  } as unknown as Requester;
  const channel = new RequestChannel({
    client,
    requester,
    credentials: async () => credentials,
    renew: async () => {
      renewed++;
      return credentials;
    },
    clock,
    random: { ...systemRandom, bytes: () => Buffer.from(row.nonce as string, 'hex') },
  });
  return { channel, sent: () => body as Buffer, renewals: () => renewed };
}

async function asksTheSame(t: TestContext, keys: RecordedKeys, row: Row): Promise<void> {
  const { channel, sent } = recordedChannel(t, keys, row);
  const session = new Crypticle(new Secret(row.key));
  const theirs = decode(bytes(row.request), 'network') as Dict;
  const theirLoad = session.loads(asBytes(theirs.get('load')) as Buffer) as Dict;
  const load: Dict = new Map(theirLoad);
  for (const field of ['nonce', 'ts', 'tok']) load.delete(field);
  const patience = { timeoutMs: 1000, tries: 1 };
  if (row.replyKind === 'private') {
    const pillar = await channel.pillar(load, patience);
    assert.equal(difference(pillar, row.resultPillar, keys), undefined, row.name);
  } else {
    const value = await channel.send(load, patience);
    const prefix = Buffer.from(`pickle::${row.replyNonce as string}`);
    const plain = session.decrypt(recordedReply(row));
    assert.deepEqual(Buffer.concat([prefix, encode(value, 'network')]), plain, row.name);
  }
  const ours = decode(sent(), 'network') as Dict;
  assert.deepEqual([...ours.keys()], [...theirs.keys()], row.name);
  for (const [field, value] of theirs) if (field !== 'load') assert.deepEqual(ours.get(field), value);
  const ourLoad = session.loads(asBytes(ours.get('load')) as Buffer) as Dict;
  assert.deepEqual([...ourLoad.keys()].sort(), [...theirLoad.keys()].sort(), row.name);
  for (const [field, value] of theirLoad)
    assert.deepEqual(encode(ourLoad.get(field) as Value, 'network'), encode(value, 'network'), row.name);
}
