/**
 * The connection to a Python process, in which a site's code can write whatever it likes: what is no message, more than
 * a message may be, a message without an end, or questions without number. Each of these ends the process, and costs
 * bounded memory and time.
 */
import type { Socket } from 'node:net';
import { UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { RpcPeer, type RpcAnswer, type RpcHandlers } from '../../network/ipc/rpc.ts';

/** What the process packs is at most 128 MiB (`brine_guest/pack.py`), and has a head. */
const MESSAGE_BYTES_MAX = 129 * 1024 * 1024;
/** Functions that its threads may wait for at once. */
const CALLS_MAX = 1_000;
/** A message that has begun may rest so long, twice: the program itself may have been busy meanwhile. */
const REST_MS = 5_000;
const RESTS_MAX = 2;

const WROTE = 'it wrote into the descriptor by which its Python process is reached';

/** What a peer is made with. */
export interface GuardedPeerOptions {
  readonly clock: Clock;
  readonly handlers: Required<Pick<RpcHandlers, 'call' | 'notify' | 'closed'>>;
  /** Told why the process has to be ended; the connection is closed then. */
  readonly spoilt: (reason: string) => void;
}

/** The program's end of a connection to a Python process. */
export function guardedPeer(socket: Socket, { clock, handlers, spoilt }: GuardedPeerOptions): RpcPeer {
  let underWay = 0;
  let rest: { cancel(): void } | undefined;
  const end = (reason: string): void => {
    spoilt(reason);
    socket.destroy();
  };
  const call = async (body: Buffer): Promise<RpcAnswer> => {
    if (underWay >= CALLS_MAX) {
      end(`it called more than ${CALLS_MAX} functions at once`);
      throw new UnreachableError('The process is being ended.');
    }
    underWay++;
    try {
      return await handlers.call(body);
    } finally {
      underWay--;
    }
  };
  const closed = (): void => {
    rest?.cancel();
    handlers.closed();
  };
  const malformed = (): void => spoilt(WROTE);
  const peer = new RpcPeer(
    socket,
    { call, closed, malformed, notify: (body) => handlers.notify(body) },
    MESSAGE_BYTES_MAX,
  );
  const watch = (bytesBefore: number, rests: number): void => {
    rest = clock.after(
      REST_MS,
      () => {
        rest = undefined;
        if (!peer.isMidMessage) return;
        const isResting = socket.bytesRead === bytesBefore;
        if (isResting && rests + 1 >= RESTS_MAX) end(`${WROTE}, and no end of it`);
        else watch(socket.bytesRead, isResting ? rests + 1 : 0);
      },
      { background: true },
    );
  };
  socket.on('data', () => {
    if (rest === undefined && peer.isMidMessage) watch(socket.bytesRead, 0);
  });
  return peer;
}
