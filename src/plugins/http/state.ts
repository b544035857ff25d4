/** `http`: what a web server answers (3006.16 salt/states/http.py). */
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { guarded, textPattern } from '../shared/regex.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { slsText } from '../shared/sls-text.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';
import { httpAnswer } from '../shared/http-answers.ts';

/** What is found out bit by bit. */
interface Verdict {
  result: boolean | null;
  comment: string;
}

/** What an answer is to hold or to be, in the forms in which it is compared and shown. */
interface Expected {
  readonly text: string;
  readonly texts: readonly string[];
  readonly shown: string;
}

function expectedOf(value: Value): Expected | undefined {
  if (value === null) return undefined;
  return {
    text: pyStr(value),
    texts: Array.isArray(value) ? value.map(pyStr) : [],
    shown: slsText(value),
  };
}

const found = (pattern: string, text: string): boolean =>
  guarded(() => textPattern(pattern).search(text) !== undefined);

function judgeText(verdict: Verdict, match: Expected, kind: string | undefined, text: string): void {
  if (kind !== 'string' && kind !== 'pcre') return;
  const isFound = kind === 'string' ? text.includes(match.text) : found(match.text, text);
  verdict.result = isFound;
  const what = kind === 'string' ? 'text' : 'pattern';
  verdict.comment += ` Match ${what} "${match.shown}" was ${isFound ? '' : 'not '}found.`;
}

function judgeStatus(verdict: Verdict, status: Expected, kind: string | undefined, text: string): void {
  if (kind === 'list') {
    for (const one of status.texts)
      if (text === one) {
        verdict.comment += ` Status ${one} was found.`;
        verdict.result ??= true;
      }
    if (verdict.result === true) return;
    verdict.comment += ` Statuses ${status.shown} were not found.`;
    verdict.result = false;
    return;
  }
  if (kind !== 'pcre' && kind !== 'string') return;
  const isFound = kind === 'pcre' ? found(status.text, text) : text === status.text;
  const what = kind === 'pcre' ? `pattern "${status.text}"` : status.text;
  verdict.comment += ` Status ${what} was ${isFound ? '' : 'not '}found.`;
  if (!isFound) verdict.result = false;
  else verdict.result ??= true;
}

const NAME = param.text({ doc: 'The address.' });
const WAIT_FOR = param.value({ type: 'int', doc: 'Ask until the answer is good, for so many seconds.' });
const PARAMS = {
  name: NAME,
  match: param.by(expectedOf, { default: null, type: 'str', doc: 'What the answer is to hold.' }),
  match_type: param.textAlone({
    default: 'string',
    doc: '`string`, or `pcre` for a regular expression.',
  }),
  status: param.by(expectedOf, {
    default: null,
    type: 'int, str or list',
    doc: 'The status it is to have.',
  }),
  status_type: param.textAlone({
    default: 'string',
    doc: '`string`, `pcre` for a regular expression, or `list` for one of several.',
  }),
  wait_for: param.valueIfGiven({ default: null, ...WAIT_FOR }),
} as const;

const PATIENT_PARAMS = { ...PARAMS, wait_for: param.by(toNumber, { ...WAIT_FOR, default: 300 }) } as const;

type QueryArguments = TypedArguments<typeof PARAMS>;

async function query(ctx: StateContext, args: QueryArguments, given: Dict): Promise<StateResult> {
  const { name, match, status } = args;
  const ended = ({ result, comment }: Verdict, data: Value = dict()): StateResult => ({
    ...{ name, result, comment, changes: dict(), data },
  });
  if (match === undefined && status === undefined)
    return ended({
      result: false,
      comment: ' Either match text (match) or a status code (status) is required.',
    });
  const kwargs = new Map([...given, ...dict({ text: true, status: true })]);
  if (!kwargs.has('decode')) kwargs.set('decode', false);
  if (ctx.state.test) kwargs.set('test', true);
  const data =
    args.wait_for !== undefined
      ? await ctx.functions.call(
          'http.wait_for_successful_query',
          [name],
          new Map(kwargs).set('wait_for', args.wait_for),
        )
      : await httpAnswer(ctx, [name], kwargs);
  const field = (key: string): string => pyStr((isDict(data) ? data.get(key) : undefined) ?? '');
  const verdict: Verdict = { result: null, comment: '' };
  if (match !== undefined) judgeText(verdict, match, args.match_type, field('text'));
  if (status !== undefined) judgeStatus(verdict, status, args.status_type, field('status'));
  verdict.comment = strip(verdict.comment);
  if (!ctx.state.test) return ended(verdict, data);
  const url = kwargs.has('test_url') ? `, TEST URL WAS: ${pyStr(kwargs.get('test_url') ?? null)}` : '';
  return ended({ result: null, comment: `${verdict.comment} (TEST MODE${url})` }, data);
}

/** Asks again and again until the answer is good or the time is over. */
async function waitForQuery(
  ctx: StateContext,
  args: TypedArguments<typeof PATIENT_PARAMS>,
  kwargs: Dict,
): Promise<StateResult> {
  const untilMs = ctx.clock.monotonicMs() + (args.wait_for ?? 300) * 1000;
  const once = { ...args, wait_for: undefined };
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
      params: PATIENT_PARAMS,
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => waitForQuery(ctx, args, kwargs),
    }),
  },
});
