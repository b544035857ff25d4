/**
 * Calls of functions and states that speak with a service over HTTP, as a real Salt 3006.16 made them: what the service
 * answered, what was sent to it, and what came of it (`test/fixtures/modules/consul.json` and its like). Played against
 * our functions.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, toJson } from '../../src/formats/json/text.ts';
import { systemClock } from '../../src/host/clock.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { startHttpStandIn, type HttpStandIn, type HttpTaken } from './http-stand-in.ts';
import { fakeStateContext, runState } from './state-context.ts';

/** What a case is told with. */
const shown = (value: Value): string => toJson(value, { sortKeys: true });

/** What was sent, in one form: words of the address and fields of JSON in the order of the alphabet. */
function sentForm(method: string, address: string, body: string, login: string): string {
  const [path = '', query = ''] = address.split('?');
  const words = query
    .split('&')
    .map((word) => word.replaceAll('%20', '+'))
    .sort()
    .join('&');
  let data: string;
  try {
    data = shown(parseJson(body));
  } catch {
    data = body;
  }
  return [method, `${path}?${words}`, data, login].join(' ');
}

const ownForm = ({ method, path, body, headers }: HttpTaken): string =>
  sentForm(method, path, body, headers.get('authorization') ?? headers.get('x-consul-token') ?? '');

function saltsForm(sent: Value): string {
  const [method = '', path = '', body = '', login = ''] = (sent as Value[]).map((word) => pyStr(word ?? ''));
  return sentForm(method, path, body, login);
}

/** A request without what is sent with it. */
const addressForm = (form: string): string => form.split(' ', 2).join(' ');

/** Whether less is asked than Salt asks, and nothing else: the same requests without some questions. */
function isShorter(own: readonly string[], salts: readonly string[]): boolean {
  let at = 0;
  for (const request of salts) {
    if (own[at] === request) at++;
    else if (!/^(GET|HEAD) /.test(request)) return false;
  }
  return at === own.length && own.length > 0;
}

/** The recorded cases of a service. */
export function recordedCases(name: string): Dict[] {
  const root = process.env['BRINE_ROOT'] ?? '.';
  const cases = parseJson(readFileSync(join(root, 'test/fixtures/modules', `${name}.json`), 'utf8'));
  return (cases as Value[]).filter(isDict);
}

/** The place of the service, in texts: `URL` and `HOST` stand for it. */
function placed(value: Value, server: HttpStandIn): Value {
  const text = toJson(value)
    .replaceAll(/\bURL\b/g, server.url)
    .replaceAll(/\bHOST\b/g, `127.0.0.1:${server.port}`);
  return parseJson(text);
}

const unplaced = (text: string, server: HttpStandIn): string =>
  text.replaceAll(server.url, 'URL').replaceAll(`127.0.0.1:${server.port}`, 'HOST');

/**
 * Plays one case. Where ours differs on purpose it has `ours` with what ours gives, and `because`.
 * @param conf the options of cases that have none of their own
 * @returns what is not as it has to be
 */
export async function playCase(
  t: { after(run: () => void): void },
  one: Dict,
  conf: Dict,
): Promise<string[]> {
  const answers = (one.get('answers') as Value[]).map((answer, at) => ({
    answer: answer as Value[],
    to: addressForm(saltsForm(((one.get('sent') ?? []) as Value[])[at] ?? [])),
  }));
  const server = await startHttpStandIn(t, (request) => {
    const at = answers.findIndex(({ to }) => to === addressForm(ownForm(request)));
    const [status = 500, body = '"no answer left"', type = 'application/json'] =
      at < 0 ? [] : (answers.splice(at, 1)[0]?.answer ?? []);
    return {
      status: Number(status),
      body: pyStr(body),
      headers: type === null ? {} : { 'content-type': pyStr(type) },
    };
  });
  const opts = placed(one.get('conf') ?? conf, server);
  const kwargs = placed(one.get('with') ?? dict(), server);
  assert.ok(isDict(opts) && isDict(kwargs));
  const ctx = fakeStateContext({
    opts: new Map([...dict({ id: 'm', hash_type: 'sha256' }), ...opts]),
    clock: systemClock,
    test: one.get('test') === true,
  });
  const call = pyStr(one.get('call') ?? '');
  const isState = call.startsWith('state ');
  const gave: Dict = new Map();
  try {
    const value = isState
      ? await runState(ctx, call.slice('state '.length), kwargs)
      : await ctx.functions.call(call, [], kwargs);
    gave.set('gave', value);
  } catch (error) {
    assert.ok(error instanceof Error);
    gave.set('raised', `${error.name}: ${error.message}`);
  }
  const salts = ['gave', 'raised'].flatMap((key): [string, Value][] =>
    one.has(key) ? [[key, one.get(key) ?? null]] : [],
  );
  const own = server.taken.map(ownForm);
  gave.set('sent', own);
  const asked = ((one.get('sent') ?? []) as Value[]).map(saltsForm);
  const wanted: Dict = new Map<Value, Value>([...salts, ['sent', isShorter(own, asked) ? own : asked]]);
  const ours = one.get('ours');
  const [is, shouldBe] = [unplaced(shown(gave), server), shown(isDict(ours) ? ours : wanted)];
  if (is === shouldBe) return [];
  const mode = one.get('test') === true ? ' in test mode' : '';
  return [
    `${call} ${shown(kwargs)}${mode}, answered ${shown(one.get('answers') ?? null)}\n  ${is}\n  not\n  ${shouldBe}`,
  ];
}
