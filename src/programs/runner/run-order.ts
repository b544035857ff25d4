/** The order for a run in a process of its own: what a master hands to the `salt-run` that it starts for somebody. */
import { BrineError } from '../../errors/errors.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { dict, isDict, type Dict } from '../../python/values/value.ts';

/** What is to be run, under which job id, in whose name. */
export interface RunOrder {
  readonly fun: string;
  /** `arg` and `kwarg`, or the arguments by the names of their parameters. */
  readonly low: Dict;
  readonly jid: string;
  readonly user: string;
  /** What has vouched for that name; undefined for a user of the machine. */
  readonly eauth?: string | undefined;
}

/** Set for a `salt-run` that finds its order on standard input: command lines are everybody's to see. */
export const ORDER_MARK = 'BRINE_RUN_ORDER';

export function encodeOrder({ fun, low, jid, user, eauth = '' }: RunOrder): Buffer {
  return encode(dict({ fun, low, jid, user, eauth }), 'local');
}

/** @throws BrineError when it is none */
export function decodeOrder(bytes: Buffer): RunOrder {
  const order = decode(bytes, 'local');
  const text = (name: string): string => {
    const value = isDict(order) ? order.get(name) : undefined;
    if (typeof value === 'string') return value;
    throw new BrineError(
      `The order for a run has no ${name}. Only a master starts salt-run with ${ORDER_MARK}.`,
    );
  };
  const low = isDict(order) ? order.get('low') : undefined;
  return {
    fun: text('fun'),
    jid: text('jid'),
    user: text('user'),
    eauth: text('eauth') || undefined,
    low: low !== undefined && isDict(low) ? low : new Map(),
  };
}
