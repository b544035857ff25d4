/** `test`: states that do nothing, or succeed, change and fail as told (3006.16 salt/states/test.py). */
import { SaltInvocationError } from '../../errors/errors.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, isInt, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { stateTag } from '../../runtime/state/state-tag.ts';
import { param } from '../../runtime/loader/params.ts';

const name = param.value({ type: 'str', doc: 'Any text that distinguishes the states.' });

const pretendedChange = (): Dict =>
  dict({ testing: { old: 'Unchanged', new: 'Something pretended to change' } });

/** What a state with a fixed outcome gives, and what in test mode. */
interface Outcome {
  readonly result: boolean;
  readonly comment: string;
  readonly changes?: boolean;
  readonly inTest?: { readonly result: boolean | null; readonly comment: string };
}

/** A state that always ends in the same way; the keyword `comment` gives another comment. */
function always(doc: string, { result, comment, changes, inTest }: Outcome) {
  return defineState({
    doc,
    params: { name },
    kwargs: 'kwargs',
    run: ({ state }, args, kwargs) => ({
      name: args.name,
      changes: changes === true ? pretendedChange() : dict(),
      ...(state.test && inTest ? inTest : { result, comment: kwargs.get('comment') ?? comment }),
    }),
  });
}

/** Reads a choice between true, false and `Random`. */
const choiceOf =
  (option: string) =>
  (value: Value): boolean | 'random' => {
    if (typeof value === 'boolean') return value;
    if (pyStr(value).toLowerCase() === 'random') return 'random';
    throw new SaltInvocationError(
      `You have specified the state option '${option}' with invalid arguments. It must be either True, False, or 'Random'`,
    );
  };

const choose = (ctx: StateContext, choice: boolean | 'random'): boolean =>
  choice === 'random' ? ctx.random.int(0, 1) === 0 : choice;

function warningsOf(value: Value): { warnings?: Value[] } {
  if (value === null) return {};
  if (typeof value === 'string') return { warnings: [value] };
  if (Array.isArray(value)) return { warnings: value };
  throw new SaltInvocationError(
    "You have specified the state option 'warnings' with invalid arguments. It must be a string or a list of strings",
  );
}

const configurableTestState = defineState({
  doc: 'Succeeds or fails, with or without changes, as the arguments say.',
  params: {
    name,
    changes: param.by(choiceOf('changes'), {
      default: true,
      type: 'bool or str',
      doc: 'Whether it reports changes; `Random` leaves it to chance.',
    }),
    result: param.by(choiceOf('result'), {
      default: true,
      type: 'bool or str',
      doc: 'Whether it succeeds; `Random` leaves it to chance.',
    }),
    comment: param.value({ default: '', type: 'str', doc: 'Its comment.' }),
    warnings: param.by(warningsOf, { default: null, type: 'str or list', doc: 'Its warnings.' }),
  },
  run: (ctx, args) => {
    const changes = choose(ctx, args.changes) ? pretendedChange() : dict();
    const result = choose(ctx, args.result);
    const outcome = { name: args.name, changes, result, comment: args.comment, ...args.warnings };
    if (!ctx.state.test) return outcome;
    return {
      ...outcome,
      result: args.changes === false ? true : null,
      comment: truthy(args.comment) ? args.comment : 'This is a test',
    };
  },
});

const showNotification = defineState({
  doc: 'Shows a text as its comment.',
  params: { name, text: param.valueIfGiven({ default: null, type: 'str', doc: 'The text.' }) },
  kwargs: 'kwargs',
  run: (_ctx, args) => {
    if (args.text === undefined) throw new SaltInvocationError('Missing required argument text.');
    return { name: args.name, changes: dict(), result: true, comment: args.text };
  },
});

/** The watched states that have changed something, as `module: id`. */
function changedRequisites({ state }: StateContext): Value[] {
  const reqs = state.low.get('__reqs__');
  const watched = isDict(reqs) ? reqs.get('watch') : undefined;
  if (!Array.isArray(watched)) return [];
  return watched.filter(isDict).flatMap((chunk) => {
    const result = state.running.get(stateTag(chunk));
    const hasChanged = isDict(result) && truthy(result.get('changes'));
    return hasChanged ? [`${pyStr(chunk.get('state') ?? null)}: ${pyStr(chunk.get('__id__') ?? null)}`] : [];
  });
}

const modWatch = defineState({
  doc: 'Runs when a watched state has changed something; the keywords `result`, `comment` and `changes` replace what it gives.',
  params: { name, sfun: param.value({ default: null, type: 'str', doc: 'The function that watches.' }) },
  kwargs: 'kwargs',
  run: (ctx, args, kwargs) =>
    ({
      name: args.name,
      result: kwargs.get('result') ?? true,
      comment: kwargs.get('comment') ?? 'Watch statement fired.',
      changes: kwargs.get('changes') ?? dict({ 'Requisites with changes': changedRequisites(ctx) }),
    }) as StateResult,
});

/** The kinds of values that `check_pillar` tells apart: the argument, Python's words for the type, and the test. */
const PILLAR_TYPES: readonly {
  readonly argument: 'present' | 'boolean' | 'integer' | 'string' | 'listing' | 'dictionary';
  readonly type: string;
  readonly matches: (value: Value) => boolean;
}[] = [
  { argument: 'present', type: 'None', matches: () => true },
  { argument: 'boolean', type: "<class 'bool'>", matches: (value) => typeof value === 'boolean' },
  {
    argument: 'integer',
    type: "<class 'int'>",
    matches: (value) => isInt(value) || typeof value === 'boolean',
  },
  { argument: 'string', type: "(<class 'str'>,)", matches: (value) => typeof value === 'string' },
  { argument: 'listing', type: "<class 'list'>", matches: (value) => Array.isArray(value) },
  { argument: 'dictionary', type: "<class 'dict'>", matches: isDict },
];

function keysIn(listing: Value): Value[] {
  if (!truthy(listing)) return [];
  if (typeof listing === 'string') return [listing];
  if (Array.isArray(listing)) return listing;
  throw new PythonError('TypeError');
}

const pillarKeys = (doc: string) => param.by(keysIn, { default: null, type: 'str or list', doc });

const checkPillar = defineState({
  doc: 'Checks that keys are there in the pillar and, where wanted, that their values are of a type.',
  params: {
    name,
    present: pillarKeys('Keys that are to be there.'),
    boolean: pillarKeys('Keys with true or false.'),
    integer: pillarKeys('Keys with whole numbers.'),
    string: pillarKeys('Keys with texts.'),
    listing: pillarKeys('Keys with lists.'),
    dictionary: pillarKeys('Keys with mappings.'),
    verbose: param.flag({ default: false, doc: 'Name the keys that passed, too.' }),
  },
  examples: ['present: [users], integer: ["mysql:port"]'],
  run: async (ctx, args) => {
    if (PILLAR_TYPES.every(({ argument }) => args[argument].length === 0))
      throw new SaltInvocationError('Missing required argument text.');
    const failed = new Map<Value, string>();
    const fine = new Map<Value, string>();
    for (const { argument, type, matches } of PILLAR_TYPES)
      for (const key of args[argument]) {
        const value = await ctx.functions.call('pillar.get', [key, null]);
        if (value === null) failed.set(key, 'is missing.');
        else if (!matches(value)) failed.set(key, `is not ${type}.`);
        else if (args.verbose) fine.set(key, type);
      }
    const lines = [...failed].map(([key, why]) => `Pillar key "${pyStr(key)}" ${why}\n`);
    if (fine.size > 0) lines.push('Those keys passed the check:\n');
    for (const [key, type] of fine) lines.push(`- ${pyStr(key)} (${type})\n`);
    return { name: args.name, changes: dict(), result: failed.size === 0, comment: lines.join('') };
  },
});

/** The states of `test`. */
export const testStates = defineModule({
  name: 'test',
  file: 'test',
  doc: 'States that do nothing, or fail on purpose, for trying out.',
  functions: {
    nop: defineState({
      doc: 'Does nothing; for requisites, and for files that would be empty otherwise.',
      params: { name },
      kwargs: 'kwargs',
      run: (_ctx, args) => ({ name: args.name, changes: dict(), result: true, comment: 'Success!' }),
    }),
    succeed_without_changes: always('Succeeds and changes nothing.', { result: true, comment: 'Success!' }),
    fail_without_changes: always('Fails and changes nothing.', {
      result: false,
      comment: 'Failure!',
      inTest: { result: false, comment: "If we weren't testing, this would be a failure!" },
    }),
    succeed_with_changes: always('Succeeds and pretends to have changed something.', {
      result: true,
      comment: 'Success!',
      changes: true,
      inTest: { result: null, comment: "If we weren't testing, this would be successful with changes" },
    }),
    fail_with_changes: always('Fails and pretends to have changed something.', {
      result: false,
      comment: 'Failure!',
      changes: true,
      inTest: { result: null, comment: "If we weren't testing, this would be failed with changes" },
    }),
    configurable_test_state: configurableTestState,
    show_notification: showNotification,
    check_pillar: checkPillar,
    mod_watch: modWatch,
  },
});
