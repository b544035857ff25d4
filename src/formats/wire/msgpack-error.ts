/** What is wrong with bytes that should be msgpack. */

/** Bytes that are not one well-formed msgpack value. */
export class MsgpackError extends Error {
  override readonly name: string = 'MsgpackError';
}

/** The value ends after the bytes that are there: a stream reader waits for more. */
export class TruncatedMsgpackError extends MsgpackError {
  constructor() {
    super('the msgpack value is cut short');
  }
}
