/** `http`: what a web server answers (3006.16 salt/states/http.py). */
import { defineModule } from '../loader/module.ts';
import { guarded, textPattern } from '../modules/file/regex.ts';
import { pyStr } from '../values/repr.ts';
import { strip } from '../values/text.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../values/value.ts';
import { slsText } from './sls-text.ts';
import { defineState, type StateContext, type StateResult } from './state-function.ts';

/** What is found out bit by bit. */
interface Verdict {
  result: boolean | null;
  comment: string;
}

const found = (pattern: Value, text: string): boolean =>
  guarded(() => textPattern(pyStr(pattern)).search(text) !== undefined);

function judgeText(verdict: Verdict, match: Value, kind: Value, text: string): void {
  if (kind !== 'string' && kind !== 'pcre') return;
  const isFound = kind === 'string' ? text.includes(pyStr(match)) : found(match, text);
  verdict.result = isFound;
  const what = kind === 'string' ? 'text' : 'pattern';
  verdict.comment += ` Match ${what} "${slsText(match)}" was ${isFound ? '' : 'not '}found.`;
}

function judgeStatus(verdict: Verdict, status: Value, kind: Value, text: string): void {
  if (kind === 'list') {
    for (const one of Array.isArray(status) ? status : [])
      if (text === pyStr(one)) {
        verdict.comment += ` Status ${pyStr(one)} was found.`;
        verdict.result ??= true;
      }
    if (verdict.result === true) return;
    verdict.comment += ` Statuses ${slsText(status)} were not found.`;
    verdict.result = false;
    return;
  }
  if (kind !== 'pcre' && kind !== 'string') return;
  const isFound = kind === 'pcre' ? found(status, text) : text === pyStr(status);
  const what = kind === 'pcre' ? `pattern "${pyStr(status)}"` : pyStr(status);
  verdict.comment += ` Status ${what} was ${isFound ? '' : 'not '}found.`;
  if (!isFound) verdict.result = false;
  else verdict.result ??= true;
}

const NAME = { type: 'str', doc: 'The address.' } as const;
const PARAMS = {
  name: NAME,
  match: { default: null, type: 'str', doc: 'What the answer is to hold.' },
  match_type: { default: 'string', type: 'str', doc: '`string`, or `pcre` for a regular expression.' },
  status: { default: null, type: 'int, str or list', doc: 'The status it is to have.' },
  status_type: {
    default: 'string',
    type: 'str',
    doc: '`string`, `pcre` for a regular expression, or `list` for one of several.',
  },
  wait_for: { default: null, type: 'int', doc: 'Ask until the answer is good, for so many seconds.' },
} as const;

type QueryArguments = { readonly [K in keyof typeof PARAMS]: Value };

async function query(ctx: StateContext, args: QueryArguments, given: Dict): Promise<StateResult> {
  const { name, match, status } = args;
  const ended = ({ result, comment }: Verdict, data: Value = dict()): StateResult => ({
    ...{ name, result, comment, changes: dict(), data },
  });
  if (match === null && status === null)
    return ended({
      result: false,
      comment: ' Either match text (match) or a status code (status) is required.',
    });
  const kwargs = new Map([...given, ...dict({ text: true, status: true })]);
  if (!kwargs.has('decode')) kwargs.set('decode', false);
  if (ctx.state.test) kwargs.set('test', true);
  const data = truthy(args.wait_for)
    ? await ctx.functions.call(
        'http.wait_for_successful_query',
        [name],
        new Map(kwargs).set('wait_for', args.wait_for),
      )
    : await ctx.functions.call('http.query', [name], kwargs);
  const field = (key: string): string => pyStr((isDict(data) ? data.get(key) : undefined) ?? '');
  const verdict: Verdict = { result: null, comment: '' };
  if (match !== null) judgeText(verdict, match, args.match_type, field('text'));
  if (status !== null) judgeStatus(verdict, status, args.status_type, field('status'));
  verdict.comment = strip(verdict.comment);
  if (!ctx.state.test) return ended(verdict, data);
  const url = kwargs.has('test_url') ? `, TEST URL WAS: ${pyStr(kwargs.get('test_url') ?? null)}` : '';
  return ended({ result: null, comment: `${verdict.comment} (TEST MODE${url})` }, data);
}

/** Asks again and again until the answer is good or the time is over. */
async function waitForQuery(ctx: StateContext, args: QueryArguments, kwargs: Dict): Promise<StateResult> {
  const untilMs = ctx.clock.monotonicMs() + (toNumber(args.wait_for) ?? 300) * 1000;
  const once = { ...args, wait_for: null };
  const pauseMs = (toNumber(kwargs.get('request_interval')) ?? 0) * 1000;
  for (;;) {
    const isLast = (): boolean => ctx.clock.monotonicMs() > untilMs;
    try {
      const result = await query(ctx, once, kwargs);
      if (result.result === true || isLast()) return result;
    } catch (error) {
      if (isLast()) throw error;
    }
    // Salt compat: without `request_interval` Salt asks without a pause.
    await ctx.clock.sleep(Math.max(pauseMs, SHORTEST_PAUSE_MS), ctx.signal);
  }
}

const SHORTEST_PAUSE_MS = 50;

/** The states of `http`. */
export const httpStates = defineModule({
  name: 'http',
  file: 'http',
  doc: 'Asks web servers, and checks their answers.',
  functions: {
    query: defineState({
      doc: 'Checks what a web server answers; the further arguments are those of `http.query`.',
      params: PARAMS,
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => query(ctx, args, kwargs),
    }),
    wait_for_successful_query: defineState({
      doc: 'Asks a web server until its answer is good; the arguments are those of `http.query`.',
      params: { ...PARAMS, wait_for: { ...PARAMS.wait_for, default: 300 } },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => waitForQuery(ctx, args, kwargs),
    }),
  },
});
