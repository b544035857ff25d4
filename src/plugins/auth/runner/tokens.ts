/** `auth.token_*`: API tokens, the credentials of programs. Not Salt's, but ours. */
import { param } from '../../../runtime/loader/params.ts';
import { faultOfRules } from '../../../runtime/access/rule-forms.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { ApiTokens, isApiTokenName, type ApiToken } from '../../../storage/tokens/api-tokens.ts';
import {
  defineRunner,
  RunnerRefusal,
  type RunnerContext,
  type RunnerSpec,
} from '../../shared/runner/runner.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
]);

/** The functions. */
export const tokenRunners: Readonly<Record<string, RunnerSpec>> = {
  token_create: defineRunner({
    doc: 'Makes an API token: a credential of a program, with roles or rules of its own. It is shown this once; the master keeps its hash.',
    params: {
      name: param.text({ doc: 'By which it is listed and revoked; jobs name it as `token:NAME`.' }),
      roles: param.texts({ default: [], doc: 'Roles of the option `roles`.' }),
      rules: { type: 'list', default: [], doc: 'Rules of its own, in the forms of `external_auth`.' },
      expire: param.textIfGiven({
        default: null,
        doc: 'How long it lives: `90d`, `12h`, a number of seconds; nothing for until it is revoked.',
      }),
    },
    isSecret: true,
    returns: 'mapping with `token`, and what it stands for',
    examples: [
      'salt-run auth.token_create ci roles=deployers expire=90d',
      'salt-run auth.token_create monitor rules=\'[test.ping, {"@runner": [manage.up]}]\'',
    ],
    run: (ctx, { name, roles, rules: given, expire }) => {
      const rules = rulesOf(given);
      const chosen = roles.map((role) => role.trim()).filter((role) => role !== '');
      refuseFaults(ctx, name, chosen, rules);
      const now = Math.floor(ctx.clock.nowMs() / 1000);
      const expires = expire === undefined ? undefined : now + secondsOf(expire);
      const made: ApiToken = { name, created: now, expires, createdBy: ctx.user, roles: chosen, rules };
      const token = tokensOf(ctx).create(made, ctx.random);
      if (token === undefined)
        throw new RunnerRefusal(
          `There is an API token ${name} already: revoke it first, or take another name.`,
        );
      return new Map<Value, Value>([['token', token], ...shown(made)]);
    },
  }),
  token_list: defineRunner({
    doc: 'The API tokens that there are, without their secrets.',
    returns: 'mapping of name to what the token stands for',
    examples: ['salt-run auth.token_list'],
    run: (ctx) => {
      const now = ctx.clock.nowMs() / 1000;
      return new Map<Value, Value>(
        tokensOf(ctx)
          .list()
          .map((token) => [
            token.name,
            shown(token).set('is_over', token.expires !== undefined && token.expires <= now),
          ]),
      );
    },
  }),
  token_revoke: defineRunner({
    doc: 'Ends an API token, at once in all processes of the master.',
    params: { name: param.text({ doc: 'Its name.' }) },
    returns: 'True; False for a name that no token has',
    examples: ['salt-run auth.token_revoke ci'],
    run: (ctx, { name }) => {
      const tokens = tokensOf(ctx);
      if (tokens.revoke(name)) return true;
      const names = tokens.list().map((token) => token.name);
      ctx.log.error(`There is no API token ${name}; there are ${names.join(', ') || 'none'}.`);
      return false;
    },
  }),
};

/** @throws RunnerRefusal for what is no list: a text that was meant as one would be no rule at all */
function rulesOf(given: Value): readonly Value[] {
  if (Array.isArray(given)) return given;
  throw new RunnerRefusal(`rules is a list, such as '[test.ping]', and not ${pyRepr(given)}.`);
}

function tokensOf({ opts }: RunnerContext): ApiTokens {
  return new ApiTokens(opts.get('pki_dir'));
}

/** @throws RunnerRefusal */
function refuseFaults(
  { opts }: RunnerContext,
  name: string,
  roles: readonly string[],
  rules: readonly Value[],
): void {
  if (!isApiTokenName(name))
    throw new RunnerRefusal(
      `${name} cannot be the name of an API token: letters, digits, - and _ can, 64 of them.`,
    );
  const there = opts.get('roles');
  const unknown = roles.find((role) => !there.has(role));
  if (unknown !== undefined)
    throw new RunnerRefusal(
      `There is no role ${unknown}; there are ${[...there.keys()].map(pyStr).sort().join(', ') || 'none'} (option roles).`,
    );
  const fault = faultOfRules(rules);
  if (fault !== undefined) throw new RunnerRefusal(`The API token cannot be made: ${fault}.`);
  if (roles.length === 0 && rules.length === 0)
    throw new RunnerRefusal('An API token without roles and rules could do nothing: say roles= or rules=.');
}

/** @throws RunnerRefusal */
function secondsOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,10})([smhdw]?)$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNITS.get(unit || 's') ?? 1);
  if (digits === '' || seconds <= 0)
    throw new RunnerRefusal(`expire=${text} is no time: say 90d, 12h, 30m or a number of seconds.`);
  return seconds;
}

function shown({ name, created, expires, createdBy, roles, rules }: ApiToken): Dict {
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
  return dict({
    name,
    created: time(created),
    expires: expires === undefined ? null : time(expires),
    created_by: createdBy,
    roles: [...roles],
    rules: [...rules],
  });
}
