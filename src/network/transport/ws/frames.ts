/** Messages of the ws transport. A publication is the envelope's bytes as one msgpack value of bytes. */

/** Packs an envelope. */
export function encodeWsPublication(envelope: Buffer): Buffer {
  const out = Buffer.allocUnsafe(5 + envelope.length);
  out[0] = 0xc6;
  out.writeUInt32BE(envelope.length, 1);
  envelope.copy(out, 5);
  return out;
}

/** The envelope in a publication; a message that is no bytes is given back as it is. */
export function decodeWsPublication(message: Buffer): Buffer {
  const tag = message[0];
  if (tag === 0xc4 || tag === 0xd9) return message.subarray(2);
  if (tag === 0xc5 || tag === 0xda) return message.subarray(3);
  if (tag === 0xc6 || tag === 0xdb) return message.subarray(5);
  return message;
}

/** The bytes of a message, whichever form `ws` gives them in. */
export function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
