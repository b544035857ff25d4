/**
 * Who an encrypted request says it is from, read without decoding the rest: the request server uses it to choose a worker.
 * It proves nothing.
 */

const ID_KEY = Buffer.from('a26964', 'hex');

/**
 * Finds `id` in the top level of an envelope of version 3: a small map whose values are text, bytes or a small integer.
 * @returns undefined when the bytes have another shape; that is no error here
 */
export function claimedId(body: Buffer): string | undefined {
  const head = body[0];
  if (head === undefined || head < 0x80 || head > 0x8f) return undefined;
  let at = 1;
  for (let pairs = head & 15; pairs > 0; pairs--) {
    const isId = body.length - at > 3 && body.compare(ID_KEY, 0, 3, at, at + 3) === 0;
    const key = skip(body, at);
    if (key === undefined) return undefined;
    const value = skip(body, key.end);
    if (value === undefined) return undefined;
    if (isId) return body.toString('latin1', value.start, value.end);
    at = value.end;
  }
  return undefined;
}

/** Where the content of a short value starts and ends. */
function skip(body: Buffer, at: number): { start: number; end: number } | undefined {
  const tag = body[at];
  if (tag === undefined) return undefined;
  if (tag < 0x80 || tag >= 0xe0 || (tag >= 0xc0 && tag <= 0xc3)) return { start: at, end: at + 1 };
  if (tag >= 0xa0 && tag < 0xc0) return span(body, at + 1, tag & 31);
  const sizeBytes =
    tag === 0xd9 || tag === 0xc4
      ? 1
      : tag === 0xda || tag === 0xc5
        ? 2
        : tag === 0xdb || tag === 0xc6
          ? 4
          : 0;
  if (sizeBytes === 0 || at + 1 + sizeBytes > body.length) return undefined;
  return span(body, at + 1 + sizeBytes, body.readUIntBE(at + 1, sizeBytes));
}

function span(body: Buffer, start: number, length: number): { start: number; end: number } | undefined {
  return start + length > body.length ? undefined : { start, end: start + length };
}
