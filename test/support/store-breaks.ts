/**
 * Several writers of the same returns while their server is killed under them: every return is there once afterwards.
 */
import assert from 'node:assert/strict';
import { UnreachableError } from '../../src/errors/errors.ts';
import { systemClock } from '../../src/host/clock.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import type { Dict } from '../../src/python/values/value.ts';
import type { DatabaseServer } from './database-servers.ts';
import { contractReturn } from './return-store-contract.ts';

const RETRY_MS = 50;
const LOOK_MS = 5;

/** How much is written, and when the server is killed. */
export interface BreaksOptions {
  readonly jid: string;
  readonly server: DatabaseServer;
  /** Opens a store of one more writer; it is closed with the test. */
  readonly open: () => ReturnStore;
  readonly returns?: number;
  readonly batch?: number;
  /** After how many written batches. */
  readonly killedAfter?: readonly number[];
}

/**
 * Writes by three at once, one of them in the opposite order, each batch again until it is taken.
 * @returns how many returns there are
 */
export async function writeThroughBreaks(options: BreaksOptions): Promise<number> {
  const { jid, server, open, returns = 3000, batch = 100, killedAfter = [10, 40] } = options;
  const batches: Dict[][] = [];
  for (let at = 0; at < returns; at += batch)
    batches.push(Array.from({ length: batch }, (_, n) => contractReturn(jid, `m-${at + n}`)));
  let written = 0;
  let failures = 0;
  const write = async (order: readonly Dict[][]): Promise<void> => {
    const store = open();
    for (const rets of order)
      for (let isDone = false; !isDone;)
        try {
          await store.saveReturns(rets);
          written++;
          isDone = true;
        } catch (error) {
          assert.ok(error instanceof UnreachableError, String(error));
          failures++;
          await systemClock.sleep(RETRY_MS);
        }
  };
  const writers = Promise.all([write(batches), write([...batches].reverse()), write(batches)]);
  for (const many of killedAfter) {
    while (written < many) await systemClock.sleep(LOOK_MS);
    await server.kill();
    await server.start();
  }
  await writers;
  assert.ok(failures > 0, 'the server was away under load');
  return returns;
}
