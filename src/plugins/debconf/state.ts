/** `debconf`: answers to the questions of Debian's packages (3006.16 salt/states/debconfmod.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { missingSource } from '../shared/missing-source.ts';
import { emptyRefusal } from '../shared/name-check.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** What is shown in place of a password. */
const HIDDEN = '(password hidden)';

/** A question and the answer that it is to have. */
interface Answer {
  readonly question: string;
  readonly type: string;
  readonly value: string;
}

/** The answers of the SLS. @throws SaltInvocationError for what is no mapping of type and value */
function answersOf(data: Dict): Answer[] {
  return [...data].map(([key, given]) => {
    const question = pyStr(key);
    const type = isDict(given) ? given.get('type') : undefined;
    const value = isDict(given) ? given.get('value') : undefined;
    if (type === undefined || value === undefined)
      throw new SaltInvocationError(`The answer to '${question}' needs a type and a value`);
    if (type === 'boolean') return { question, type, value: truthy(value) ? 'true' : 'false' };
    return { question, type: pyStr(type), value: pyStr(value) };
  });
}

function isAnswered(current: Value, { question, type, value }: Answer): boolean {
  if (!Array.isArray(current)) return false;
  return current.some(
    (known) => Array.isArray(known) && known[0] === question && known[1] === type && known[2] === value,
  );
}

async function setAnswers(ctx: StateContext, name: string, data: Dict): Promise<StateResult> {
  const answers = answersOf(data);
  const current = await ctx.functions.call('debconf.show', [name]);
  const changes = dict();
  const unchanged: string[] = [];
  let result: boolean | null = true;
  let comment = '';
  for (const answer of answers) {
    const { question, type, value } = answer;
    // Salt compat: Salt shows passwords in test mode.
    const shown = type === 'password' ? HIDDEN : value;
    if (isAnswered(current, answer)) unchanged.push(`${question} `);
    else if (ctx.state.test) {
      result = null;
      changes.set(question, `New value: ${shown}`);
    } else {
      try {
        await ctx.functions.call('debconf.set', [name, question, type, value]);
        changes.set(question, shown);
      } catch (error) {
        if (!(error instanceof CommandExecutionError) && !(error instanceof SaltInvocationError)) throw error;
        result = false;
        comment = `Some settings failed to be applied. ${error.message}`;
        changes.set(question, 'Failed to set!');
      }
    }
  }
  if (changes.size === 0) return outcome(name, result, 'All specified answers are already set', changes);
  const kept = unchanged.length === 0 ? '' : `Unchanged answers: ${unchanged.join('')}`;
  return outcome(name, result, comment === '' ? kept : comment, changes);
}

/** The states of `debconf`. */
export const debconfStates = defineModule({
  name: 'debconf',
  file: 'debconfmod',
  doc: "Answers to the questions of Debian's packages.",
  unavailable: ({ grains }) => {
    if (grains.get('os_family') !== 'Debian') return 'debconf state only runs on Debian systems';
    return findProgram('debconf-get-selections') === undefined
      ? 'debconf module could not be loaded'
      : undefined;
  },
  words: { lines: ['data'], dashes: ['data'] },
  functions: {
    set: defineState({
      doc: 'Makes sure that questions of a package have their answers.',
      params: {
        name: param.text({ doc: 'The package.' }),
        data: param.mappingIfGiven({ doc: 'The answers: `question: {type: string, value: text}`.' }),
      },
      kwargs: 'kwargs',
      refuses: ({ name }) => emptyRefusal('A package', name),
      run: async (ctx, { name, data }) => {
        try {
          if (data !== undefined) return await setAnswers(ctx, name, data);
          return outcome(name, false, 'data must be a mapping of questions to type and value');
        } catch (error) {
          if (!(error instanceof CommandExecutionError) && !(error instanceof SaltInvocationError))
            throw error;
          return outcome(name, false, error.message);
        }
      },
    }),
    set_file: defineState({
      doc: 'Answers the questions of packages as a file says, each time.',
      params: {
        name: param.text({ doc: 'Any name.' }),
        source: param.value({ type: 'str', doc: 'The file: a path or `salt://…`.' }),
        template: param.valueIfGiven({ default: null, type: 'str', doc: 'The kind of template: jinja.' }),
        context: param.value({ default: null, type: 'dict', doc: 'Variables of the template.' }),
        defaults: param.value({ default: null, type: 'dict', doc: 'Variables where the context has none.' }),
      },
      kwargs: 'kwargs',
      run: async (ctx, { name, source, template, context, defaults }, kwargs) => {
        if (context !== null && !isDict(context))
          return outcome(name, false, 'Context must be formed as a dict');
        if (defaults !== null && !isDict(defaults))
          return outcome(name, false, 'Defaults must be formed as a dict');
        if (ctx.state.test) {
          const missing = await missingSource(ctx, pyStr(source), stateEnvironment(ctx));
          return missing === undefined
            ? outcome(name, null, 'Debconf selections would have been set.')
            : outcome(name, false, `Unable to set debconf selections from file. ${missing}`);
        }
        const variables = [context ?? dict(), defaults ?? dict()];
        try {
          const isDone =
            template === undefined
              ? await ctx.functions.call('debconf.set_file', [source], kwargs)
              : await ctx.functions.call('debconf.set_template', [source, template, ...variables], kwargs);
          return truthy(isDone)
            ? outcome(name, true, 'Debconf selections were set.')
            : outcome(name, false, 'Unable to set debconf selections from file.');
        } catch (error) {
          if (!(error instanceof CommandExecutionError)) throw error;
          return outcome(name, false, `Unable to set debconf selections from file. ${error.message}`);
        }
      },
    }),
  },
});
