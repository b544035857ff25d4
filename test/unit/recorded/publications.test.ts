/** Publications of a real master, as our minion takes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MinionCredentials } from '../../../src/network/channel/client/authenticate.ts';
import { Crypticle } from '../../../src/network/crypto/crypticle.ts';
import { Secret } from '../../../src/host/secret.ts';
import { readJob } from '../../../src/programs/minion/job.ts';
import { isDict, type Dict } from '../../../src/python/values/value.ts';
import { asBytes, decode, encode } from '../../../src/formats/wire/msgpack.ts';
import { publicationReader } from '../../support/attacker.ts';
import { bytes, difference, RecordedKeys, rowsOf, SALTS } from './recording.ts';

interface Row {
  readonly name: string;
  readonly aesKey: string;
  readonly sigAlgo: string | null;
  readonly serial: number;
  readonly topic?: string;
  readonly frames: string[];
  readonly decoded: Record<string, unknown>;
}

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const rows = rowsOf<Row>(version, 'publish');
  const credentialsOf = (row: Row, master = 'master'): MinionCredentials => {
    const shared = new Crypticle(new Secret(row.aesKey));
    return { shared, session: shared, publishPort: 4505, masterKey: keys.pair(master).publicKey };
  };

  test(`recorded ${version} - publications open once, signed ones only with the master's signature`, () => {
    for (const row of rows) {
      const frames = row.frames.map(bytes);
      const reader = publicationReader(row.sigAlgo !== null);
      const load = reader.read(frames, credentialsOf(row));
      assert.ok(isDict(load), `${row.name}: ${String(load)}`);
      const { serial, ...expected } = row.decoded;
      assert.equal(serial, row.serial);
      assert.equal(difference(load, expected, keys), undefined, row.name);
      assert.equal(reader.read(frames, credentialsOf(row)), 'replayed', row.name);
      if (row.topic !== undefined) assert.equal(frames[0]?.toString(), row.topic);
      const stranger = publicationReader(false).read(frames, credentialsOf(row, 'rogue'));
      if (row.sigAlgo === null)
        assert.equal(publicationReader(true).read(frames, credentialsOf(row)), 'no signature');
      else assert.equal(stranger, 'bad signature', row.name);
    }
  });

  test(`recorded ${version} - one reader takes a whole session, and an older publication no more`, () => {
    const reader = publicationReader(true);
    const session = rows.filter((row) => row.name.startsWith('main:'));
    for (const row of session) assert.ok(isDict(reader.read(row.frames.map(bytes), credentialsOf(row))));
    for (const row of session)
      assert.equal(reader.read(row.frames.map(bytes), credentialsOf(row)), 'replayed');
    const rotated = rows.find((row) => row.name === 'keys: ping after rotation') as Row;
    assert.equal(reader.read(rotated.frames.map(bytes), credentialsOf(session[0] as Row)), 'wrong key');
  });

  test(`recorded ${version} - every publication is a job for our minion, and would be packed to the same bytes`, () => {
    for (const row of rows) {
      const envelope = decode(bytes(row.frames.at(-1) as string), 'network') as Dict;
      assert.deepEqual(encode(envelope, 'network'), bytes(row.frames.at(-1) as string), row.name);
      const fields = row.sigAlgo === null ? ['enc', 'load'] : ['enc', 'load', 'sig_algo', 'sig'];
      assert.deepEqual([...envelope.keys()], fields);
      const { shared } = credentialsOf(row);
      const plain = shared.decrypt(asBytes(envelope.get('load')) as Buffer);
      const load = decode(plain.subarray(8), 'network') as Dict;
      assert.deepEqual(encode(load, 'network'), plain.subarray(8), row.name);
      const job = readJob(load);
      assert.equal(job?.jid, row.decoded['jid'], row.name);
      assert.deepEqual(job?.funs, [row.decoded['fun']].flat());
    }
  });
}
