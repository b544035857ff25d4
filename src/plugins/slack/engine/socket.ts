/**
 * Slack's socket mode: a WebSocket that this end opens, over which Slack sends what happens
 * (api.slack.com/apis/socket-mode).
 */
import type { WebSocket } from 'ws';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock, Timer } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';
import { acknowledgement, readJson, type SlackApi } from './api.ts';

const MESSAGE_BYTES_MAX = 1024 * 1024;
const HANDSHAKE_MS = 30_000;
/** Slack pings every few seconds; a connection that is silent for this long is dead. */
const SILENCE_MS = 120_000;
const PAUSE_MS = 1000;
const PAUSE_MAX_MS = 60_000;
/** Ids of events that are remembered, because Slack sends one again when an answer was lost. */
const SEEN_MAX = 1000;

/** What the connection works with. */
export interface SlackSocketDeps {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Takes a message that was written somewhere. */
  readonly onMessage: (message: Dict) => void;
}

/** Receives messages until the signal is aborted; a connection that ends is opened again, after pauses that grow. */
export async function receiveMessages(deps: SlackSocketDeps): Promise<void> {
  const { api, clock, log, signal } = deps;
  const seen = new Set<string>();
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    try {
      await connection(await api.openConnection(), deps, seen, () => (pauseMs = PAUSE_MS));
    } catch (error) {
      log.warning(`slack_bolt: ${messageOf(error)}; it is tried again in ${pauseMs / 1000} s.`);
    }
    if (signal.aborted) return;
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
  }
}

/** One connection, until it ends. @throws Error when it cannot be opened, or fails */
async function connection(
  url: URL,
  { clock, log, signal, onMessage }: SlackSocketDeps,
  seen: Set<string>,
  onHello: () => void,
): Promise<void> {
  const { WebSocket: Socket } = await import('ws');
  const socket = new Socket(url, {
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
  });
  const end = (): void => socket.terminate();
  let silence: Timer = clock.after(SILENCE_MS, end);
  const heard = (): void => {
    silence.cancel();
    silence = clock.after(SILENCE_MS, end);
  };
  signal.addEventListener('abort', end, { once: true });
  socket.on('ping', heard);
  socket.on('message', (data) => {
    heard();
    const envelope = readJson(textOf(data));
    if (!isDict(envelope)) return;
    if (envelope.get('type') === 'hello') {
      log.info('The slack_bolt engine is connected');
      onHello();
    } else if (envelope.get('type') === 'disconnect') socket.close();
    else take(socket, envelope, seen, onMessage);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on('close', () => resolve());
      // the address holds a ticket, and is not told
      socket.on('error', (error) => reject(new Error(`the connection to Slack failed: ${error.message}`)));
    });
  } finally {
    silence.cancel();
    signal.removeEventListener('abort', end);
    socket.on('error', () => undefined);
    socket.terminate();
  }
}

/** Answers an envelope, and hands on the message in it unless it was handed on before. */
function take(
  socket: WebSocket,
  envelope: Dict,
  seen: Set<string>,
  onMessage: (message: Dict) => void,
): void {
  const id = envelope.get('envelope_id');
  if (typeof id !== 'string') return;
  socket.send(acknowledgement(id));
  const payload = envelope.get('payload');
  const event = isDict(payload) ? payload.get('event') : undefined;
  if (envelope.get('type') !== 'events_api' || !isDict(payload) || !isDict(event)) return;
  const eventId = String(payload.get('event_id') ?? id);
  if (seen.has(eventId)) return;
  seen.add(eventId);
  for (const oldest of seen) {
    if (seen.size <= SEEN_MAX) break;
    seen.delete(oldest);
  }
  onMessage(event);
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}
