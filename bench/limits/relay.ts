/** The bytes of the scenario `events` over bare unix sockets, and nothing else. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS, EVENT_BYTES, READERS } from '../scenarios/events.ts';

const PIECE_BYTES = 65_536;

/** Seconds until all readers but the stalled one have everything. */
export async function relaySeconds(folder: string): Promise<number> {
  const path = join(folder, 'relay');
  const sinks: Socket[] = [];
  const server = createServer((socket) => sinks.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const total = EVENTS * EVENT_BYTES;
  const readers = await Promise.all(Array.from({ length: READERS - 1 }, () => open(path)));
  await until(() => sinks.length === readers.length);
  const startedMs = performance.now();
  const done = readers.map((socket) => received(socket, total));
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  const sent = sinks.map(async (sink) => {
    for (let left = total; left > 0; left -= PIECE_BYTES) {
      if (!sink.write(piece.subarray(0, Math.min(left, PIECE_BYTES))))
        await new Promise((resolve) => sink.once('drain', resolve));
    }
  });
  await Promise.all([...done, ...sent]);
  const seconds = (performance.now() - startedMs) / 1000;
  for (const socket of [...readers, ...sinks]) socket.destroy();
  await closed(server);
  rmSync(path, { force: true });
  return seconds;
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket)).on('error', reject);
  });
}

function received(socket: Socket, total: number): Promise<void> {
  let bytes = 0;
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length) >= total && resolve());
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
