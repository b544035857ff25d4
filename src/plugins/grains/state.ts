/** `grains`: grains that are kept in the minion's file (3006.16 salt/states/grains.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { slsText } from '../shared/sls-text.ts';
import { dict, isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { appendToGrain, listAbsent, listPresent } from './state/list.ts';
import { grainName, grainValue } from './state/names.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/**
 * Sets a grain.
 * @returns the result of `grains.set` as a state's, with the comment and the changes of a success replaced
 */
async function setGrain(
  ctx: StateContext,
  name: string,
  { value, options, done }: { value: Value; options: Dict; done: (changes: Dict) => Partial<StateResult> },
): Promise<StateResult> {
  const set = (await ctx.functions.call('grains.set', [name, value], options)) as Dict;
  const changes = set.get('changes');
  const result = set.get('result') === true;
  const given = {
    comment: set.get('comment') ?? '',
    changes: isDict(changes) ? changes : dict(),
    result,
  };
  return { ...given, ...(result ? done(given.changes) : {}), name };
}

async function absent(
  ctx: StateContext,
  name: string,
  { destructive, force }: { destructive: Value; force: Value },
): Promise<StateResult> {
  const grain = await grainValue(ctx, name);
  if (grain === undefined) return outcome(name, true, `Grain ${name} does not exist`);
  const deleted = dict({ deleted: name });
  const emptied = dict({ grain: name, value: null });
  if (ctx.state.test) {
    if (destructive === true) return outcome(name, null, `Grain ${name} is set to be deleted`, deleted);
    // Salt compat: Salt's test mode says None of what is so already
    if (grain === null) return outcome(name, true, '');
    return outcome(name, null, `Value for grain ${name} is set to be deleted (None)`, emptied);
  }
  return setGrain(ctx, name, {
    value: null,
    options: dict({ destructive, force }),
    done: () => {
      if (destructive === true) return { comment: `Grain ${name} was deleted`, changes: deleted };
      if (grain === null) return {};
      return { comment: `Value for grain ${name} was set to None`, changes: emptied };
    },
  });
}

const NAME = param.value({
  type: 'str',
  doc: 'The name of the grain; levels are separated by the delimiter.',
});
const VALUE = param.value({ type: 'any', doc: 'The value.' });
const DELIMITER = param.value({ default: ':', type: 'str', doc: 'What separates levels.' });
const FORCE = param.value({ default: false, type: 'bool', doc: 'Replace lists and mappings, too.' });

/** The states of `grains`. */
export const grainsStates = defineModule({
  name: 'grains',
  file: 'grains',
  doc: "Grains that are kept in the minion's own file.",
  functions: {
    exists: defineState({
      doc: 'Fails when there is no such grain.',
      params: { name: NAME, delimiter: DELIMITER },
      run: async (ctx, args) => {
        const name = grainName(args.name, args.delimiter);
        const grain = await grainValue(ctx, name);
        return grain === undefined
          ? failure(name, 'Grain does not exist')
          : outcome(name, true, 'Grain exists');
      },
    }),
    present: defineState({
      doc: 'Makes sure that a grain has a value.',
      params: { name: NAME, value: VALUE, delimiter: DELIMITER, force: FORCE },
      run: async (ctx, { value, force, ...args }) => {
        const name = grainName(args.name, args.delimiter);
        const existing = await grainValue(ctx, name);
        if (existing !== undefined && valuesEqual(existing, value))
          return outcome(name, true, 'Grain is already set');
        if (ctx.state.test)
          return existing === undefined
            ? outcome(name, null, `Grain ${name} is set to be added`, dict({ new: name }))
            : outcome(
                name,
                null,
                `Grain ${name} is set to be changed`,
                new Map([['changed', new Map([[name, value]])]]),
              );
        return setGrain(ctx, name, {
          value,
          options: dict({ force }),
          done: (changes) => (changes.size > 0 ? { comment: `Set grain ${name} to ${slsText(value)}` } : {}),
        });
      },
    }),
    list_present: defineState({
      doc: 'Makes sure that a grain that is a list holds a value, or several.',
      params: { name: NAME, value: VALUE, delimiter: DELIMITER },
      run: (ctx, { name, value, delimiter }) => listPresent(ctx, grainName(name, delimiter), value),
    }),
    list_absent: defineState({
      doc: 'Makes sure that a grain that is a list does not hold a value, or several.',
      params: { name: NAME, value: VALUE, delimiter: DELIMITER },
      run: (ctx, { name, value, delimiter }) => listAbsent(ctx, grainName(name, delimiter), value),
    }),
    absent: defineState({
      doc: 'Makes sure that a grain has no value, or is not there.',
      params: {
        name: NAME,
        destructive: param.value({
          default: false,
          type: 'bool',
          doc: 'Remove the grain, not only its value.',
        }),
        delimiter: DELIMITER,
        force: FORCE,
      },
      run: (ctx, { name, delimiter, destructive, force }) =>
        absent(ctx, grainName(name, delimiter), { destructive, force }),
    }),
    append: defineState({
      doc: 'Adds a value to a grain that is a list.',
      params: {
        name: NAME,
        value: VALUE,
        convert: param.trueOnly({ default: false, doc: 'Make a list of a grain that is none.' }),
        delimiter: DELIMITER,
      },
      run: (ctx, { name, value, convert, delimiter }) =>
        appendToGrain(ctx, grainName(name, delimiter), { value, convert }),
    }),
  },
});
