/** A directory for tests: answers binds and searches from a list of entries, and keeps what it was asked. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** An entry of the directory. */
export interface StandInEntry {
  readonly dn: string;
  /** Who gives it may bind as this entry. */
  readonly password?: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** The directory while it runs. */
export interface LdapStandIn {
  readonly port: number;
  /** `bind DN`, and `search BASE FILTER` as it was understood. */
  readonly asked: string[];
}

/** One element of BER: its tag and what is in it. */
interface Element {
  readonly tag: number;
  readonly body: Buffer;
}

/** Starts one on a port of the system's; it ends with the test. Searches need a bind unless `anonymous` is said. */
export async function startLdapStandIn(
  t: TestContext,
  entries: readonly StandInEntry[],
  { anonymous = false }: { readonly anonymous?: boolean } = {},
): Promise<LdapStandIn> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    let isBound = anonymous;
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        const size = sizeOf(pending);
        if (size === undefined || pending.length < size) return;
        const [id, request] = elements(elements(pending.subarray(0, size))[0]?.body ?? Buffer.alloc(0));
        pending = pending.subarray(size);
        if (id === undefined || request === undefined || request.tag === 0x42) return void socket.end();
        const reply = (element: Buffer): void => void socket.write(tlv(0x30, tlv(2, id.body), element));
        if (request.tag === 0x60) {
          const code = bind(request, entries, asked);
          isBound = anonymous || code === 0;
          reply(result(0x61, code));
        } else if (request.tag === 0x63) {
          const found = isBound ? search(request, entries, asked) : [];
          for (const entry of found) reply(entryBytes(entry));
          reply(result(0x65, isBound ? 0 : 1));
        } else reply(result(0x78, 2));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

function bind({ body }: Element, entries: readonly StandInEntry[], asked: string[]): number {
  const [, dn, secret] = elements(body);
  const name = text(dn);
  asked.push(`bind ${name}`);
  // as a server that lets unauthenticated binds through does (RFC 4513, 5.1.2)
  if (secret?.tag !== 0x80) return 7;
  if (text(secret) === '') return 0;
  const entry = entries.find((each) => each.dn === name);
  return entry?.password !== undefined && entry.password === text(secret) ? 0 : 49;
}

function search({ body }: Element, entries: readonly StandInEntry[], asked: string[]): StandInEntry[] {
  const [base, , , , , , filter] = elements(body);
  const root = text(base);
  if (filter === undefined) return [];
  asked.push(`search ${root} ${shown(filter)}`);
  return entries.filter(({ dn, attributes }) => dn.endsWith(root) && fits(filter, attributes));
}

function fits({ tag, body }: Element, attributes: StandInEntry['attributes']): boolean {
  const parts = elements(tag === 0x87 ? Buffer.alloc(0) : body);
  const values = (name: string): readonly string[] =>
    Object.entries(attributes).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? [];
  if (tag === 0xa0) return parts.every((part) => fits(part, attributes));
  if (tag === 0xa1) return parts.some((part) => fits(part, attributes));
  if (tag === 0xa2) return !parts.some((part) => fits(part, attributes));
  if (tag === 0x87) return values(body.toString()).length > 0;
  if (tag === 0xa3) return values(text(parts[0])).includes(text(parts[1]));
  const pieces = elements(parts[1]?.body ?? Buffer.alloc(0)).map(text);
  return values(text(parts[0])).some((value) => pieces.every((piece) => value.includes(piece)));
}

/** A filter as the server has understood it; values in quotes. */
function shown({ tag, body }: Element): string {
  if (tag === 0x87) return `(${body.toString()}=*)`;
  const parts = elements(body);
  const sign = new Map([
    [0xa0, '&'],
    [0xa1, '|'],
    [0xa2, '!'],
  ]).get(tag);
  if (sign !== undefined) return `(${sign}${parts.map(shown).join('')})`;
  if (tag === 0xa3) return `(${text(parts[0])}=${JSON.stringify(text(parts[1]))})`;
  return `(${text(parts[0])}~${elements(parts[1]?.body ?? Buffer.alloc(0))
    .map(text)
    .join('*')})`;
}

function entryBytes({ dn, attributes }: StandInEntry): Buffer {
  const list = Object.entries(attributes).map(([name, values]) =>
    tlv(0x30, tlv(4, name), tlv(0x31, ...values.map((value) => tlv(4, value)))),
  );
  return tlv(0x64, tlv(4, dn), tlv(0x30, ...list));
}

function result(tag: number, code: number): Buffer {
  return tlv(tag, tlv(10, Buffer.from([code])), tlv(4, ''), tlv(4, ''));
}

function tlv(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const size =
    body.length < 128
      ? Buffer.from([body.length])
      : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, body]);
}

/** The bytes that the first element takes; undefined while they are not all known. */
function sizeOf(bytes: Buffer): number | undefined {
  const first = bytes[1];
  if (first === undefined) return undefined;
  if (first < 128) return 2 + first;
  const count = first & 0x7f;
  return bytes.length < 2 + count ? undefined : 2 + count + bytes.readUIntBE(2, count);
}

function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const size = sizeOf(rest) ?? rest.length;
    const first = rest[1] ?? 0;
    found.push({ tag: rest[0] ?? 0, body: rest.subarray(first < 128 ? 2 : 2 + (first & 0x7f), size) });
    rest = rest.subarray(size);
  }
  return found;
}

function text(element: Element | undefined): string {
  return element?.body.toString() ?? '';
}
