/** The bytes of a real master's event bus, as our programs read and write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEvent, EventReader, parseEvent } from '../../../src/network/events/framing.ts';
import { systemClock, type Clock } from '../../../src/host/clock.ts';
import { bytes, difference, RecordedKeys, rowsOf, SALTS } from './recording.ts';

interface Row {
  readonly name: string;
  readonly raw: string;
  readonly frameLengths: number[];
  readonly events: { tag: string; data: Record<string, unknown> }[];
}

const NO_LIMIT = 1024 * 1024 * 1024;

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const rows = rowsOf<Row>(version, 'events');

  test(`recorded ${version} - events are read as they were sent`, () => {
    for (const row of rows) {
      const { whole, bodies } = new EventReader().push(bytes(row.raw));
      assert.deepEqual(whole, bytes(row.raw), row.name);
      assert.equal(bodies.length, row.events.length);
      bodies.forEach((body, index) => {
        const expected = row.events[index] as Row['events'][number];
        const event = parseEvent(body);
        assert.equal(event?.tag, expected.tag);
        assert.equal(difference(event?.data, expected.data, keys), undefined, `${row.name}: ${expected.tag}`);
      });
    }
  });

  test(`recorded ${version} - events arrive however the stream is cut`, () => {
    const stream = Buffer.concat(rows.slice(0, 12).map((row) => bytes(row.raw)));
    const expected = rows.slice(0, 12).flatMap((row) => row.events.map(({ tag }) => tag));
    for (const size of [1, 2, 3, 7, 13, 64, 1000]) {
      const reader = new EventReader();
      const tags: (string | undefined)[] = [];
      const passedOn: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) {
        const { whole, bodies } = reader.push(stream.subarray(at, at + size));
        passedOn.push(Buffer.from(whole));
        tags.push(...bodies.map((body) => parseEvent(body)?.tag));
      }
      assert.deepEqual(tags, expected, `${size} bytes at a time`);
      assert.deepEqual(Buffer.concat(passedOn), stream);
    }
  });

  test(`recorded ${version} - the same events fired by us are the same bytes`, () => {
    for (const row of rows) {
      let at = 0;
      const { bodies } = new EventReader().push(bytes(row.raw));
      bodies.forEach((body, index) => {
        const length = row.frameLengths[index] as number;
        const frame = bytes(row.raw).subarray(at, at + length);
        at += length;
        const event = parseEvent(body);
        assert.ok(event !== undefined);
        const ours = encodeEvent(event.tag, event.data, clockAt(String(event.data.get('_stamp'))), NO_LIMIT);
        assert.deepEqual(ours, frame, `${row.name}: ${event.tag}`);
      });
    }
  });
}

/** A clock that stands at a moment written by Python's isoformat, to the microsecond. */
function clockAt(stamp: string): Clock {
  const [seconds = '', micros = '0'] = stamp.split('.');
  // a little later than the microsecond, because a float cannot hold it exactly
  const ms = Date.parse(`${seconds}Z`) + (Number(micros) + 0.3) / 1000;
  return { ...systemClock, nowMs: () => ms };
}
