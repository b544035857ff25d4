/** Requests of the real salt command, and hostile ones, at our door; what is published, fired and stored for them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { AcceptedKeys } from '../../../src/network/channel/accepted-keys.ts';
import { Door, type ClearHandler } from '../../../src/network/channel/door.ts';
import { SessionKeys } from '../../../src/network/channel/session-keys.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { Options } from '../../../src/config/option.ts';
import { Crypticle } from '../../../src/network/crypto/crypticle.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { Secret } from '../../../src/host/secret.ts';
import type { JidSource } from '../../../src/storage/jobs/jid.ts';
import type { JobReader, JobWriter } from '../../../src/storage/jobs/job-store.ts';
import { LoadMirror } from '../../../src/storage/jobs/load-mirror.ts';
import { accessFor } from '../../support/access.ts';
import { UserAuth } from '../../../src/programs/master/auth/user-auth.ts';
import { publishHandler } from '../../../src/programs/master/commands/publish.ts';
import type { Fleet } from '../../../src/runtime/targeting/target.ts';
import { dict, isDict, type Dict, type Value } from '../../../src/python/values/value.ts';
import { asBytes, decode, encode } from '../../../src/formats/wire/msgpack.ts';
import { folder, keptLog } from '../../support/attacker.ts';
import { bytes, difference, readRecording, RecordedKeys, rowsOf, SALTS } from './recording.ts';

interface Row {
  readonly name: string;
  readonly recording: string;
  readonly request: string;
  readonly reply: string | null;
  readonly requestDecoded: unknown;
  readonly replyDecoded: unknown;
}

const AUTHENTICATION_ERROR = {
  error: { name: 'AuthenticationError', message: 'Authentication error occurred.' },
};

/** Where our door answers otherwise, on purpose (docs/differences.md). */
const OUR_ANSWERS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // external authentication is not served yet: it is refused, whoever asks
  ['main: publish eauth ok', AUTHENTICATION_ERROR],
  ['main: publish eauth function denied', AUTHENTICATION_ERROR],
  ['main: publish eauth unknown user', AUTHENTICATION_ERROR],
  ['main: publish token ok', AUTHENTICATION_ERROR],
  // `enc` is compared strictly, and what is no map is no envelope
  ['main: load not a map', 'bad load'],
  ['risky: ping enc other', 'bad load'],
  ['risky: enc other with _auth', 'bad load'],
  ['risky: enc other with an aes command', 'bad load'],
  ['risky: enc is nil', 'bad load'],
]);

/** Where Salt refuses what does no harm: no user beside the master user's key, an id where none means anything. */
const SERVED = new Set(['main: publish no user', 'main: id with NUL', 'main: id not text']);

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const rows = rowsOf<Row>(version, 'clear');

  test(`recorded ${version} - requests in the clear get the recorded replies`, async (t) => {
    const wrong: string[] = [];
    for (const row of rows.filter(isServed)) {
      const office = new RecordedOffice(t, version, keys, row);
      const reply = await office.answer();
      const own = OUR_ANSWERS.get(row.name);
      const fault =
        own !== undefined ? difference(decode(reply, 'network'), own, keys) : office.replyFault(reply);
      if (fault !== undefined && !SERVED.has(row.name)) wrong.push(`${row.name}: ${fault}`);
    }
    assert.deepEqual(wrong, []);
  });

  test(`recorded ${version} - a published job has the recorded load, events and cache file`, async (t) => {
    let published = 0;
    for (const row of rows.filter(isServed)) {
      const office = new RecordedOffice(t, version, keys, row);
      await office.answer();
      if (office.sent !== undefined) published++;
      office.checkPublication();
      office.checkEvents();
      office.checkCacheFile();
    }
    assert.ok(published > 20, `${published} were published`);
  });
}

/** Commands for which our door has a handler by now; tokens, wheel and runners are other parts' tests. */
function isServed({ requestDecoded, recording }: Row): boolean {
  const load = (requestDecoded as { load?: { cmd?: unknown } } | null)?.load;
  const cmd = typeof load === 'object' ? String(load?.cmd) : '';
  return !['mk_token', 'get_token', 'wheel', 'runner'].includes(cmd) && recording !== 'keys';
}

interface PublishRow {
  readonly name: string;
  readonly aesKey: string;
  readonly frames: string[];
}

interface EventRow {
  readonly name: string;
  readonly events: { tag: string; data: Record<string, unknown> }[];
}

interface JobCacheRow {
  readonly step: string;
  readonly dir: string;
  readonly files: Record<string, { hex: string }>;
}

/** A master of ours in the place of the recorded one, for one request. */
class RecordedOffice {
  sent: Dict | undefined;
  readonly fired: [tag: string, data: Dict][] = [];
  readonly #version: string;
  readonly #keys: RecordedKeys;
  readonly #row: Row;
  readonly #root: string;
  readonly #door: Door;

  constructor(t: TestContext, version: string, keys: RecordedKeys, row: Row) {
    this.#version = version;
    this.#keys = keys;
    this.#row = row;
    this.#root = folder(t);
    mkdirSync(join(this.#root, 'jobs'));
    const order = row.recording === 'order';
    const opts = new Options(
      masterOptions,
      dict({ user: 'root', order_masters: order, ...(order ? { master_id: 'upper1' } : {}) }),
    );
    const { rootKey } = readRecording<{ rootKey: Record<string, string> }>(version, 'clear');
    const { log } = keptLog();
    const publish = publishHandler({
      opts,
      access: accessFor(
        opts,
        new UserAuth(opts, new Map([['root', new Secret(rootKey[row.recording] ?? 'none')]])),
      ),
      fleet: this.#fleet(),
      jobs: { saveJob: async () => true, note: async () => undefined } as unknown as JobReader & JobWriter,
      notPublished: (text) => log.error(text),
      keyState: () => undefined,
      hasAuthenticated: () => true,
      clock: systemClock,
      mirror: new LoadMirror({ cachedir: this.#root, hashType: 'sha256', clock: systemClock, log }),
      jids: { next: () => this.#jid() } as unknown as JidSource,
      fireEvent: (tag, data) => this.fired.push([tag, data]),
      send: async ({ load }) => {
        this.sent = load;
        return { lost: new Map() };
      },
      log,
    });
    this.#door = new Door({
      clear: new Map<string, ClearHandler>([
        ['ping', (load) => load],
        ['publish', publish],
      ]),
      aes: new Map(),
      authenticate: () => 'never',
      sessions: new SessionKeys(join(this.#root, 'sessions'), 86_400_000, systemClock),
      keys: new AcceptedKeys(this.#root, systemClock),
      knowsUser: () => false,
      sharedKeys: () => [],
      minimumVersion: 0,
      ttlSeconds: 0,
      clock: systemClock,
      log,
    });
  }

  async answer(): Promise<Buffer> {
    return (await this.#door.handle(bytes(this.#row.request), 'recorded')).reply;
  }

  replyFault(reply: Buffer): string | undefined {
    // a real master leaves some without an answer: any answer is better
    if (this.#row.reply === null) return undefined;
    const inOrder = (bytesOf: Buffer): Buffer => {
      const value = decode(bytesOf, 'network');
      sortMinions(value);
      return encode(value, 'network');
    };
    if (inOrder(reply).equals(inOrder(bytes(this.#row.reply)))) return undefined;
    return difference(decode(reply, 'network'), this.#row.replyDecoded, this.#keys) ?? 'other bytes';
  }

  /** What minions get is the same bytes. */
  checkPublication(): void {
    const row = rowsOf<PublishRow>(this.#version, 'publish').find(({ name }) => name === this.#row.name);
    if (row === undefined || this.sent === undefined) return;
    const envelope = decode(bytes(row.frames.at(-1) as string), 'network') as Dict;
    const shared = new Crypticle(new Secret(row.aesKey));
    const load = shared.loads(asBytes(envelope.get('load')) as Buffer) as Dict;
    load.delete('serial');
    assert.deepEqual(encode(this.sent, 'network'), encode(load, 'network'), row.name);
  }

  /** The events before the returns: the job's minions, and the new job. */
  checkEvents(): void {
    const row = rowsOf<EventRow>(this.#version, 'events').find(({ name }) => name === this.#row.name);
    const jid = this.#jid();
    if (row === undefined || this.sent === undefined) return;
    for (const tag of [jid, `salt/job/${jid}/new`]) {
      const recorded: EventRow['events'][number] | undefined = row.events.find((event) => event.tag === tag);
      if (recorded === undefined) continue;
      const { _stamp, ...data } = recorded.data;
      const ours = this.fired.find(([own]) => own === tag)?.[1];
      assert.equal(difference(ours, data, this.#keys), undefined, `${row.name}: ${tag}`);
      assert.deepEqual([...(ours?.keys() ?? [])], Object.keys(data));
    }
  }

  checkCacheFile(): void {
    const { jobCache } = readRecording<{ jobCache: JobCacheRow[] }>(this.#version, 'vectors');
    const row = jobCache.find(({ step }) => `main: ${step}` === this.#row.name);
    if (row === undefined || this.sent === undefined) return;
    const hash = createHash('sha256').update(this.#jid()).digest('hex');
    assert.equal(row.dir, `jobs/${hash.slice(0, 2)}/${hash.slice(2)}`);
    const written = readFileSync(join(this.#root, row.dir, '.load.p')).toString('hex');
    assert.equal(written, row.files['.load.p']?.hex, this.#row.name);
  }

  /** The jid that the recorded master gave. */
  #jid(): string {
    const reply = this.#row.replyDecoded as { load?: { jid?: string } } | null;
    return reply?.load?.jid ?? '20260101000000000000';
  }

  /** The minions that the recorded master had accepted, with the data it had of web1. */
  #fleet(): Fleet {
    const ids = this.#row.recording === 'filter' ? ['db1', 'web1'] : ['web1'];
    return { ids, data: (id) => (id === 'web1' ? webData(this.#version) : undefined) };
  }
}

/** Salt's order of minions is that of a Python set, which is none. */
function sortMinions(reply: Value): void {
  const load = isDict(reply) ? reply.get('load') : undefined;
  const minions = load !== undefined && isDict(load) ? load.get('minions') : undefined;
  if (Array.isArray(minions)) minions.sort();
}

/** Grains as web1 sent them, and the pillar that it got. */
function webData(version: string): { grains: Dict; pillar: Dict } {
  interface PillarRow {
    readonly name: string;
    readonly key: string;
    readonly request: string;
    readonly resultPillar: Record<string, Value>;
  }
  const row = rowsOf<PillarRow>(version, 'requests').find(
    ({ name }) => name === 'first start of web1: _pillar',
  );
  assert.ok(row);
  const envelope = decode(bytes(row.request), 'network') as Dict;
  const load = new Crypticle(new Secret(row.key)).loads(asBytes(envelope.get('load')) as Buffer) as Dict;
  return { grains: load.get('grains') as Dict, pillar: new Map(Object.entries(row.resultPillar)) };
}
