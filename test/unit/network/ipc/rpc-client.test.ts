import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { RpcClient } from '../../../../src/network/ipc/rpc-client.ts';
import { RpcPeer } from '../../../../src/network/ipc/rpc.ts';

/** The process at the other end, which can end and come back, and keeps what it was asked in order. */
class Owner {
  readonly path: string;
  readonly asked: string[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** Whether it answers what it is asked. */
  answers = true;

  constructor(t: TestContext) {
    const folder = mkdtempSync(join(tmpdir(), 'brpc-'));
    this.path = join(folder, 'owner.ipc');
    t.after(() => {
      this.end();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  start(): Promise<void> {
    rmSync(this.path, { force: true });
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      new RpcPeer(socket, { call: (body) => this.#answer(body.toString()) });
    });
    this.#server = server;
    return new Promise((resolve) => server.listen(this.path, resolve));
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }

  #answer(what: string): Promise<Buffer> | Buffer {
    this.asked.push(what);
    if (what.startsWith('bad')) throw new Error(`not ${what}`);
    return this.answers ? Buffer.from(`${what}!`) : new Promise(() => undefined);
  }
}

function clientOf(t: TestContext, { path }: Owner, giveUpMs = 5_000): RpcClient {
  const client = new RpcClient({ path, purpose: 'owner', clock: systemClock, giveUpMs });
  t.after(() => client.close());
  return client;
}

const numbers = Array.from({ length: 50 }, (_, index) => String(index));

test('rpc client - calls reach a process that is not there yet in the order in which they were made', async (t) => {
  const owner = new Owner(t);
  const client = clientOf(t, owner);
  const answers: Promise<Buffer>[] = [];
  // a few at a time, so that some are made while others wait for the next attempt
  for (const number of numbers) {
    answers.push(client.call(Buffer.from(number)));
    if (Number(number) % 5 === 0) await systemClock.sleep(3);
    if (number === '30') await owner.start();
  }
  assert.deepEqual(
    (await Promise.all(answers)).map(String),
    numbers.map((number) => `${number}!`),
  );
  assert.deepEqual(owner.asked, numbers);
});

test('rpc client - what the process left unanswered when it died goes to its successor before newer calls', async (t) => {
  const owner = new Owner(t);
  await owner.start();
  const client = clientOf(t, owner);
  assert.equal(String(await client.call(Buffer.from('first'))), 'first!');
  owner.answers = false;
  const answers = numbers.slice(0, 10).map((number) => client.call(Buffer.from(number)));
  await systemClock.sleep(10);
  owner.end();
  owner.answers = true;
  owner.asked.length = 0;
  const restarted = owner.start();
  answers.push(...numbers.slice(10).map((number) => client.call(Buffer.from(number))));
  await restarted;
  await Promise.all(answers);
  assert.deepEqual(owner.asked, numbers);
});

test('rpc client - a refusal is an answer, and a process that stays away is said to', async (t) => {
  const owner = new Owner(t);
  await owner.start();
  const client = clientOf(t, owner, 50);
  await assert.rejects(client.call(Buffer.from('bad idea')), /not bad idea/);
  owner.end();
  await assert.rejects(client.call(Buffer.from('x')), /The owner cannot be reached/);
  await owner.start();
  assert.equal(String(await client.call(Buffer.from('y'))), 'y!');
});

test('rpc client - closing ends what waits', async (t) => {
  const owner = new Owner(t);
  const client = clientOf(t, owner);
  const waiting = assert.rejects(client.call(Buffer.from('x')), /The owner cannot be reached/);
  await client.close();
  await waiting;
});
