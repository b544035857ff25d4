/**
 * Contracts between our own processes. A contract is a table of messages: the name of each, what it asks and what it is
 * answered with (`fields.ts`). The end that asks gets a function for each message (`clientOf`), the end that answers
 * must have one (`handlersOf`); the compiler checks both against the table, and what comes is checked once more when it
 * is read.
 *
 * On the wire a message is `u8 length, name, payload`; an answer is its payload alone.
 */
import { decodeAt } from '../../formats/wire/msgpack.ts';
import type { Value } from '../../python/values/value.ts';
import { MessageError, type Codec } from './fields.ts';
import type { RpcAnswer, RpcHandlers } from './rpc.ts';

/** A message that is answered. */
export interface Call<Q, A> {
  readonly asks: Codec<Q>;
  readonly answers: Codec<A>;
}

/** A message that is not answered. */
export interface Notice<Q> {
  readonly asks: Codec<Q>;
}

type Messages = Readonly<Record<string, Call<unknown, unknown> | Notice<unknown>>>;

/** What one process may say to another. */
export interface Contract<M extends Messages> {
  /** Who is spoken to, for messages of errors: `the job cache`. */
  readonly to: string;
  readonly messages: M;
}

type Asked<M> = M extends Notice<infer Q> ? Q : never;
type Arguments<Q> = undefined extends Q ? readonly [] : readonly [question: Q];

/**
 * The end that asks. Each function throws what the link throws, and {@link MessageError} for an answer that is none.
 */
export type Client<C> =
  C extends Contract<infer M>
    ? {
        readonly [K in keyof M]: (
          ...question: Arguments<Asked<M[K]>>
        ) => M[K] extends Call<unknown, infer A> ? Promise<A> : void;
      }
    : never;

/** The end that answers. */
export type Handlers<C> =
  C extends Contract<infer M>
    ? {
        readonly [K in keyof M]: (
          ...question: Arguments<Asked<M[K]>>
        ) => M[K] extends Call<unknown, infer A> ? A | Promise<A> : void;
      }
    : never;

/** Brings messages to the other end: an `RpcPeer`, an `RpcClient`. */
export interface Link {
  call?(...pieces: readonly Uint8Array[]): Promise<Buffer>;
  notify?(...pieces: readonly Uint8Array[]): void;
}

/** Writes a contract down. @param to who is spoken to, with its article */
export function contract<M extends Messages>(to: string, messages: M): Contract<M> {
  return { to, messages };
}

/** The end that asks. */
export function clientOf<M extends Messages>({ to, messages }: Contract<M>, link: Link): Client<Contract<M>> {
  const client = Object.entries(messages).map(([name, message]) => {
    const head = headOf(name);
    const ask = (question?: unknown): unknown => {
      const pieces = message.asks.pack(question);
      if (!('answers' in message)) return link.notify?.(head, ...pieces);
      return link.call?.(head, ...pieces).then((bytes) => readAnswer(to, name, message.answers, bytes));
    };
    return [name, ask] as const;
  });
  return Object.fromEntries(client) as unknown as Client<Contract<M>>;
}

/** The end that answers, as a link takes it. A message that is none of the contract's fails, and nothing is done. */
export function handlersOf<M extends Messages>(
  { to, messages }: Contract<M>,
  handlers: Handlers<Contract<M>>,
): Required<Pick<RpcHandlers, 'call' | 'notify'>> {
  const known = new Map(Object.entries(messages));
  const take = handlers as unknown as Readonly<Record<string, (question: unknown) => unknown>>;
  const handle = (bytes: Buffer): { message: Messages[string]; answer: unknown } => {
    const name = messageName(bytes);
    const message = known.get(name);
    if (message === undefined)
      throw new MessageError(`${to} does not know the message ${JSON.stringify(name)}`);
    const question = readQuestion(to, name, message.asks, bytes.subarray(1 + name.length));
    return { message, answer: take[name]?.(question) };
  };
  return {
    call: (bytes) => {
      const { message, answer } = handle(bytes);
      if (!('answers' in message)) return [];
      const { answers } = message;
      return answer instanceof Promise ? answer.then((value) => answers.pack(value)) : answers.pack(answer);
    },
    notify: (bytes) => void handle(bytes),
  } satisfies { call(bytes: Buffer): Promise<RpcAnswer> | RpcAnswer; notify(bytes: Buffer): void };
}

/** The name of a message that was written as a contract says. */
export function messageName(message: Buffer): string {
  return message.toString('latin1', 1, 1 + (message[0] ?? 0));
}

/**
 * The first fields of a message of several, without decoding what follows them.
 * @throws MessageError when it is no message of so many
 */
export function firstFields(message: Buffer, count: number): Value[] {
  const start = 1 + (message[0] ?? 0);
  // a list of up to 15 is one byte and its items
  const header = message[start] ?? 0;
  if ((header & 0xf0) !== 0x90 || (header & 0x0f) < count)
    throw new MessageError(`${messageName(message)} is no message of ${count} fields`);
  const out: Value[] = [];
  for (let at = start + 1; out.length < count;) {
    const { value, end } = decodeAt(message, 'local', at);
    out.push(value);
    at = end;
  }
  return out;
}

function headOf(name: string): Buffer {
  const bytes = Buffer.from(name, 'latin1');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function readQuestion(to: string, name: string, codec: Codec<unknown>, bytes: Buffer): unknown {
  try {
    return codec.read(bytes);
  } catch (error) {
    throw explained(error, `${to} cannot read the message ${name}`);
  }
}

function readAnswer<A>(to: string, name: string, codec: Codec<A>, bytes: Buffer): A {
  try {
    return codec.read(bytes);
  } catch (error) {
    throw explained(error, `the answer of ${to} to the message ${name} cannot be read`);
  }
}

function explained(error: unknown, what: string): unknown {
  return error instanceof MessageError
    ? new MessageError(`${what}: it ${error.message}`, { cause: error.cause })
    : error;
}
