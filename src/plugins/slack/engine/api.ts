/** The parts of Slack's web API that the engine `slack_bolt` needs. No token is in a message or an error. */
import { parseJson, toJson } from '../../../formats/json/text.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Secret } from '../../../host/secret.ts';
import { sendHttp } from '../../../network/http/client.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

const TIMEOUT_MS = 30_000;
/** Pages of users or channels; what comes after is not looked at. */
const PAGES_MAX = 50;
const PAGE_SIZE = '200';
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** Where and with what Slack is asked. */
export interface SlackAccess {
  /** With a slash at its end. */
  readonly url: URL;
  readonly appToken: Secret;
  readonly botToken: Secret;
  readonly clock: Clock;
}

/** Asks Slack. */
export class SlackApi {
  readonly #access: SlackAccess;

  constructor(access: SlackAccess) {
    this.#access = access;
  }

  /** The address of a new connection for socket mode. @throws Error */
  async openConnection(): Promise<URL> {
    const { url, appToken } = this.#access;
    const answer = await this.#ask('apps.connections.open', appToken, {});
    const given = answer.get('url');
    const wanted = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (typeof given !== 'string' || !URL.canParse(given) || new URL(given).protocol !== wanted)
      throw new Error(`Slack gives no address that begins with ${wanted}//`);
    return new URL(given);
  }

  /** Writes into a channel. @throws Error */
  async post(channel: string, text: string): Promise<void> {
    await this.#ask('chat.postMessage', this.#access.botToken, { channel, text });
  }

  /** Names of people by id; bots are left out. @throws Error */
  users(): Promise<Map<string, string>> {
    return this.#names('users.list', 'members', {}, (user) => user.get('is_bot') === false);
  }

  /** Names of channels by id. @throws Error */
  channels(): Promise<Map<string, string>> {
    return this.#names('conversations.list', 'channels', { exclude_archived: 'true' }, () => true);
  }

  async #names(
    method: string,
    key: string,
    words: Readonly<Record<string, string>>,
    isMeant: (one: Dict) => boolean,
  ): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    let cursor = '';
    for (let page = 0; page < PAGES_MAX; page++) {
      const more = cursor === '' ? {} : { cursor };
      const answer = await this.#ask(method, this.#access.botToken, { ...words, limit: PAGE_SIZE, ...more });
      const list = answer.get(key);
      for (const one of Array.isArray(list) ? list : [])
        if (isDict(one) && isMeant(one)) names.set(pyStr(one.get('id') ?? ''), pyStr(one.get('name') ?? ''));
      const next = answer.get('response_metadata');
      cursor = isDict(next) ? pyStr(next.get('next_cursor') ?? '') : '';
      if (cursor === '') break;
    }
    return names;
  }

  async #ask(method: string, token: Secret, words: Readonly<Record<string, string>>): Promise<Dict> {
    const { url, clock } = this.#access;
    const { status, text } = await sendHttp({
      method: 'POST',
      url: new URL(method, url),
      headers: new Map([
        ['content-type', 'application/x-www-form-urlencoded'],
        ['authorization', `Bearer ${token.reveal().replace(/[^\x21-\x7e]/g, '')}`],
      ]),
      body: new URLSearchParams(words).toString(),
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      clock,
    });
    const answer = readJson(text);
    if (status === 200 && isDict(answer) && answer.get('ok') === true) return answer;
    const error = isDict(answer) ? answer.get('error') : undefined;
    throw new Error(
      `Slack does not do ${method}: ${typeof error === 'string' ? error : `it answers ${status}`}`,
    );
  }
}

/** JSON of a stranger; undefined for what is none. */
export function readJson(text: string): Value | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The answer to an envelope, by which Slack knows that it arrived. */
export function acknowledgement(envelopeId: string): string {
  return toJson(dict({ envelope_id: envelopeId }));
}
