/** `cron`: jobs and variables in crontabs (3006.16 salt/states/cron.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { cronStatus, hadNoIdentifier, variableStatus, type CronStatus } from './state/status.ts';
import { checkLines, timesRefusal, variableRefusal } from './state/refusals.ts';
import { crontabFile } from './state/table-file.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateResult } from '../shared/state-function.ts';

/** A result with its fields in the order in which `cron.present` and `cron.env_present` make them. */
const presentResult = (
  name: Value,
  result: boolean | null,
  comment: string,
  changes: Dict = dict(),
): StateResult => ({ changes, comment, name, result });

/** @param what `Cron x` or `Cron env x` */
function announcePresent(name: Value, what: string, status: CronStatus): StateResult {
  if (status === 'present') return presentResult(name, true, `${what} already present`);
  return presentResult(name, null, `${what} is set to be ${status === 'absent' ? 'added' : 'updated'}`);
}

function announceAbsent(name: Value, what: string, status: CronStatus): StateResult {
  return status === 'absent'
    ? outcomeResultFirst(name, true, `${what} is absent`)
    : outcomeResultFirst(name, null, `${what} is set to be removed`);
}

/** What a function of `cron` answered to adding something. */
function added(name: Value, what: string, { user, answer }: { user: Value; answer: Value }): StateResult {
  const changes = new Map([[user, name]]);
  if (answer === 'present') return presentResult(name, true, `${what} already present`);
  if (answer === 'new')
    return presentResult(name, true, `${what} added to ${pyStr(user)}'s crontab`, changes);
  if (answer === 'updated') return presentResult(name, true, `${what} updated`, changes);
  return presentResult(
    name,
    false,
    `${what} for user ${pyStr(user)} failed to commit with error \n${pyStr(answer)}`,
  );
}

/** What a function of `cron` answered to removing something. */
function removed(name: Value, what: string, { user, answer }: { user: Value; answer: Value }): StateResult {
  if (answer === 'absent') return outcomeResultFirst(name, true, `${what} already absent`);
  if (answer === 'removed')
    return outcomeResultFirst(
      name,
      true,
      `${what} removed from ${pyStr(user)}'s crontab`,
      new Map([[user, name]]),
    );
  return outcomeResultFirst(
    name,
    false,
    `${what} for user ${pyStr(user)} failed to commit with error ${pyStr(answer)}`,
  );
}

/** A name without the white space around it, as cron keeps it. */
function strippedText(value: Value): string {
  return strip(pyStr(value));
}

const NAME = param.by(strippedText, { type: 'str', isLine: true, doc: 'The command.' });
const VARIABLE = param.value({ type: 'str', isLine: true, doc: 'The name of the variable.' });
const USER = param.value({ default: 'root', type: 'str', isLine: true, doc: 'Whose crontab.' });
/** Whose crontab is to have something. */
const OWNER = { ...USER, account: 'user' } as const;
const time = (what: string) =>
  param.value({ default: '*', type: 'str', doc: `${what}; \`random\` leaves it to chance, once.` });
const IDENTIFIER = param.value({
  default: false,
  type: 'str',
  isLine: true,
  doc: 'A text by which the job is found when its command changes; the command itself without it.',
});
const SPECIAL = param.value({
  default: null,
  type: 'str',
  isLine: true,
  doc: 'A word in place of the times: `@hourly`, `@reboot`.',
});

const present = defineState({
  doc: 'Makes sure that a job is in a crontab.',
  params: {
    name: NAME,
    user: OWNER,
    minute: time('The minute'),
    hour: time('The hour'),
    daymonth: time('The day of the month'),
    month: time('The month'),
    dayweek: time('The day of the week'),
    comment: param.value({ default: null, type: 'str', doc: 'A comment above the job.' }),
    commented: param.value({ default: false, type: 'bool', doc: 'The job is commented out.' }),
    identifier: IDENTIFIER,
    special: SPECIAL,
  },
  refuses: ({ name, identifier, commented, special, ...times }) => {
    checkLines({ name, identifier });
    return truthy(commented) ? undefined : timesRefusal(times, special);
  },
  run: async (ctx, { name, user, special, comment, commented, identifier: wanted, ...times }) => {
    const identifier = wanted === false || wanted === '' ? name : wanted;
    // an empty identifier is none, and nothing is written for an empty comment. Salt compat: Salt finds that they are
    // missing at each run
    const job = dict({ cmd: name, comment: comment === '' ? null : comment, commented, identifier });
    if (ctx.state.test) {
      const asked = new Map([...dict(times), ...job, ['special', special]]);
      return announcePresent(name, `Cron ${name}`, await cronStatus(ctx, user, asked, true));
    }
    const set = (known: Value): Promise<Value> =>
      special === null
        ? ctx.functions.call(
            'cron.set_job',
            [],
            new Map([...dict({ user, ...times }), ...job, ['identifier', known]]),
          )
        : ctx.functions.call(
            'cron.set_special',
            [],
            new Map([...dict({ user, special }), ...job, ['identifier', known]]),
          );
    // first its times, by the name that it has, then its new name: it is never missing and never there twice
    if (await hadNoIdentifier(ctx, user, job)) await set(name);
    const answer = await set(identifier);
    return added(name, `Cron ${name}`, { user, answer });
  },
});

const absent = defineState({
  doc: 'Makes sure that a job is not in a crontab.',
  params: { name: NAME, user: USER, identifier: IDENTIFIER, special: SPECIAL },
  kwargs: 'kwargs',
  run: async (ctx, { name, user, identifier: wanted, special }) => {
    const identifier = wanted === false ? name : wanted;
    const what = `Cron ${name}`;
    if (ctx.state.test)
      return announceAbsent(
        name,
        what,
        await cronStatus(ctx, user, dict({ cmd: name, identifier, special })),
      );
    const answer =
      special === null
        ? await ctx.functions.call('cron.rm_job', [user, name], { identifier })
        : await ctx.functions.call('cron.rm_special', [user, name], { special, identifier });
    return removed(name, what, { user, answer });
  },
});

const file = defineState({
  doc: "Makes sure that a user's crontab is what a file holds.",
  params: {
    name: param.value({ type: 'str', doc: 'The file: `salt://…`, a path, or another address.' }),
    source_hash: param.value({ default: '', type: 'str', doc: 'The checksum of a file from elsewhere.' }),
    source_hash_name: param.value({
      default: null,
      type: 'str',
      doc: 'The name of the file in a list of checksums.',
    }),
    user: USER,
    template: param.value({ default: null, type: 'str', doc: 'Render the file with this engine.' }),
    context: param.value({ default: null, type: 'dict', doc: 'Variables for the template, which win.' }),
    replace: param.flag({ default: true, doc: 'Replace a table that is there.' }),
    defaults: param.value({ default: null, type: 'dict', doc: 'Variables for the template.' }),
    backup: param.value({ default: '', type: 'str', doc: 'Where the table before is kept.' }),
  },
  kwargs: 'kwargs',
  run: (ctx, args, kwargs) => crontabFile(ctx, { ...args, more: kwargs }),
});

/** The states of `cron`. */
export const cronStates = defineModule({
  name: 'cron',
  file: 'cron',
  doc: 'Jobs and variables in crontabs.',
  needs: { fun: 'cron.list_tab', otherwise: 'cron module could not be loaded' },
  functions: {
    present,
    absent,
    file,
    env_present: defineState({
      doc: 'Makes sure that a variable is in a crontab.',
      params: {
        name: VARIABLE,
        value: param.value({ default: null, type: 'str', doc: 'Its value.' }),
        user: OWNER,
      },
      refuses: ({ name, value }) => variableRefusal(name, value),
      run: async (ctx, { name, value, user }) => {
        const what = `Cron env ${pyStr(name)}`;
        if (ctx.state.test)
          return announcePresent(name, what, await variableStatus(ctx, user, { name, value }));
        const answer = await ctx.functions.call('cron.set_env', [user, name], { value });
        return added(name, what, { user, answer });
      },
    }),
    env_absent: defineState({
      doc: 'Makes sure that a variable is not in a crontab.',
      params: { name: VARIABLE, user: USER },
      run: async (ctx, { name: given, user }) => {
        const name = strip(pyStr(given));
        const what = `Cron env ${name}`;
        if (ctx.state.test)
          return announceAbsent(name, what, await variableStatus(ctx, user, { name, value: null }));
        return removed(name, what, { user, answer: await ctx.functions.call('cron.rm_env', [user, name]) });
      },
    }),
  },
});
