/** A door behind the gate that stands before all workers, as requests of a running master pass the two. */
import type { Door } from '../../src/network/channel/door.ts';
import { ReplayGuard } from '../../src/network/channel/replay-guard.ts';
import { RequestGate } from '../../src/network/channel/request-gate.ts';
import { systemClock, type Clock } from '../../src/host/clock.ts';

/** @returns sends a request to a door and gives its reply */
export function guardedDoor(
  door: Door,
  gate = testGate(),
): (body: Buffer, from: string, publishPort?: number) => Promise<Buffer> {
  return async (body, from, publishPort) => {
    const admission = gate.admit(body, from);
    if (Buffer.isBuffer(admission)) return admission;
    const { reply, outcome } = await door.handle(body, from, publishPort, admission.standing);
    admission.settle(outcome);
    return reply;
  };
}

/** A gate with a memory of its own, that ends no sessions. */
export function testGate({
  clock = systemClock,
  knowsUser = false,
}: { clock?: Clock; knowsUser?: boolean } = {}): RequestGate {
  return new RequestGate({
    guard: new ReplayGuard({ clock, beginAnew: () => -Infinity }),
    hasUserKey: () => knowsUser,
    knowsUser: () => knowsUser,
    hasSession: () => true,
    refused: () => undefined,
  });
}
