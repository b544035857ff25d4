import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { FrameReader } from '../../../../src/network/ipc/frames.ts';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { connectionsByAddressMax } from '../../../../src/programs/master/connection-limit.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { AddressLimit } from '../../../../src/network/transport/address-limit.ts';
import { WsProgress } from '../../../../src/network/transport/ws/progress.ts';
import { encodeMessage, handshake, ZmtpParser } from '../../../../src/network/transport/zmtp/frames.ts';

test('zmtp - a message of several parts is under way until its last part, also when they are empty', () => {
  const nothing = (): void => undefined;
  const parser = new ZmtpParser(
    { messageBytesMax: 1000 },
    { ready: nothing, message: nothing, ping: nothing, pong: nothing },
  );
  parser.push(handshake('DEALER'));
  assert.equal(parser.pendingBytes, 0);
  const message = encodeMessage([Buffer.alloc(0), Buffer.alloc(0)]);
  parser.push(message.subarray(0, 2));
  assert.ok(parser.pendingBytes > 0);
  parser.push(message.subarray(2));
  assert.equal(parser.pendingBytes, 0);
});

/** A frame as a client sends it. */
function wsFrame(first: number, length: number): Buffer {
  const head =
    length < 126
      ? Buffer.from([first, 0x80 | length])
      : length < 65536
        ? Buffer.from([first, 0xfe, length >> 8, length & 255])
        : Buffer.from([
            first,
            0xff,
            0,
            0,
            0,
            0,
            length >>> 24,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ]);
  return Buffer.concat([head, Buffer.alloc(4 + length, 7)]);
}

test('ws - a message is under way until its last frame, whatever control frames come between, in chunks of any size', () => {
  const pong = wsFrame(0x8a, 4);
  const parts = [wsFrame(0x02, 10), pong, wsFrame(0x00, 300), pong, wsFrame(0x80, 70_000)];
  const whole = [wsFrame(0x82, 0), wsFrame(0x82, 125), pong, wsFrame(0x82, 126), wsFrame(0x82, 65_536)];
  for (const size of [1, 2, 3, 7, 1000, 100_000]) {
    const progress = new WsProgress();
    const push = (bytes: Buffer): void => {
      for (let at = 0; at < bytes.length; at += size) progress.push(bytes.subarray(at, at + size));
    };
    for (const frame of whole) {
      push(frame);
      assert.equal(progress.pendingBytes, 0);
    }
    assert.equal(progress.messages, 4);
    for (const frame of parts.slice(0, -1)) {
      push(frame);
      assert.ok(progress.pendingBytes > 0);
    }
    push(parts.at(-1) as Buffer);
    assert.equal(progress.pendingBytes, 0);
    assert.equal(progress.messages, 5);
    push(wsFrame(0x82, 10).subarray(0, 1));
    assert.ok(progress.pendingBytes > 0, 'also when only a header has begun');
  }
});

test('ws - a message in many small pieces counts for what they take, and not for their bytes', () => {
  const progress = new WsProgress();
  progress.push(wsFrame(0x02, 1));
  for (let n = 0; n < 999; n++) progress.push(wsFrame(0x00, 1));
  assert.ok(progress.pendingBytes > 250_000, `frames: ${progress.pendingBytes}`);
  progress.push(wsFrame(0x80, 1));
  assert.equal(progress.pendingBytes, 0);
  const frame = wsFrame(0x82, 1000);
  for (const byte of frame.subarray(0, -1)) progress.push(Buffer.from([byte]));
  assert.ok(progress.pendingBytes > 250_000, `chunks: ${progress.pendingBytes}`);
  progress.push(frame.subarray(-1));
  assert.equal(progress.pendingBytes, 0);
});

test('frames between our processes - come out as they went in, in chunks of any size, large ones too', () => {
  const sizes = [0, 1, 100, 2_000_000, 5, 1_048_576, 0, 3_000_000, 7];
  const bytes = Buffer.concat(
    sizes.flatMap((size, index) => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(size);
      return [head, Buffer.alloc(size, index + 1)];
    }),
  );
  for (const chunk of [65_536, 1_500_000, 1_048_577, bytes.length]) {
    const got: string[] = [];
    const reader = new FrameReader(4_000_000, (frame) =>
      got.push(`${frame.length} ${frame[0] ?? ''} ${frame.at(-1) ?? ''}`),
    );
    for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
    assert.deepEqual(
      got,
      sizes.map((size, index) => (size === 0 ? '0  ' : `${size} ${index + 1} ${index + 1}`)),
      String(chunk),
    );
  }
});

test('address limit - counts what is open, each address for itself', () => {
  const limit = new AddressLimit(2);
  const socket = (remoteAddress: string): Socket =>
    Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket;
  const [one, two, three] = [socket('a'), socket('a'), socket('a')];
  assert.deepEqual(
    [one, two, three, socket('b')].map((each) => limit.enter(each)),
    [true, true, false, true],
  );
  one.emit('close');
  three.emit('close');
  assert.deepEqual(
    [socket('a'), socket('a')].map((each) => limit.enter(each)),
    [true, false],
  );
});

test('address limit - ten thousand minions behind one router get in, and leave room for everybody else', () => {
  const filesMax = 100_000;
  const max = connectionsByAddressMax(new Options(masterOptions, dict({})), filesMax);
  const limit = new AddressLimit(max);
  const enter = (remoteAddress: string): boolean =>
    limit.enter(Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket);
  // each has one connection at a port, and a second one while it comes back before the old one is known to be gone
  for (let n = 0; n < 20_000; n++) assert.ok(enter('192.0.2.1'), String(n));
  for (let n = 20_000; n < max; n++) enter('192.0.2.1');
  assert.equal(enter('192.0.2.1'), false);
  for (let n = 0; n < filesMax - max; n++) assert.ok(enter(`198.51.100.${n}`), 'others are not locked out');
  assert.equal(
    connectionsByAddressMax(new Options(masterOptions, dict({ max_connections_by_address: 50 })), filesMax),
    50,
  );
});
