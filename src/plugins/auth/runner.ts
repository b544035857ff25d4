/** `auth.*`: tokens, and who may do what (salt/runners/auth.py, 3006.16). */
import { given, rulesOf, rulesOfPatterns, type Identity } from '../../runtime/access/auth-list.ts';
import { decide } from '../../runtime/access/decide.ts';
import type { Decision, GivenRule, Question } from '../../runtime/access/question.ts';
import { rulesOfRoles, rulesOfToken } from '../../runtime/access/roles.ts';
import { reachOfRule } from '../../runtime/access/reach.ts';
import { tokenFailure } from '../../runtime/client/token-failure.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { TargetError } from '../../runtime/targeting/target.ts';
import { ApiTokens } from '../../storage/tokens/api-tokens.ts';
import { openTokens } from '../../storage/tokens/open.ts';
import { param } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { groupsOf } from '../pam/auth.ts';
import { tokenRunners } from './runner/tokens.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from '../shared/runner/runner.ts';

/** What stands behind the target are the function's own arguments, so these have to be named. */
const QUESTION_PARAMS = {
  tgt_type: param.text({ default: 'glob', keywordOnly: true, doc: 'What kind of target that is.' }),
  client: param.text({
    default: 'local',
    keywordOnly: true,
    doc: '`local` for jobs; `runner`, `wheel` for functions of the master.',
  }),
};

/** The auth runner. */
export const authRunners = defineRunners({
  name: 'auth',
  doc: 'Tokens of external authentication, and who may do what.',
  failsWith: { false: ['del_token', 'token_revoke'], empty: ['mk_token'] },
  functions: {
    mk_token: defineRunner({
      doc: 'Makes a token for whoever logs in with `eauth`, `username` and `password`.',
      kwargs: 'load',
      isSecret: true,
      // a real salt-api makes the tokens of its /token so (salt/netapi/rest_cherrypy/app.py `Token`, 3006.16)
      answersByEvent: true,
      returns: 'what the token stands for, the token among it; an empty text when the log-in does not hold',
      examples: ['salt-run auth.mk_token username=alice password=secret eauth=pam'],
      run: async (ctx, _args, _rest, kwargs) => {
        const load: Dict = new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__')));
        const reply = await (
          await ctx.client()
        ).command(new Map<Value, Value>([...load, ['cmd', 'mk_token']]));
        const failure = tokenFailure(reply);
        if (failure !== undefined) throw new RunnerRefusal(failure);
        if (reply === '')
          ctx.log.error(
            'No token was made: the name and the password do not belong together, or external_auth lets nobody of that name in by this system. The log of the master says more.',
          );
        return reply;
      },
    }),
    del_token: defineRunner({
      doc: 'Ends a token.',
      params: { token: param.text({ doc: 'The token.' }) },
      isSecret: 'entirely',
      returns: 'True; False for a token that is not there',
      examples: ['salt-run auth.del_token 6556760736e4077daa601baec2b67c24'],
      run: async ({ opts }, { token }) => {
        const tokens = openTokens(opts.toDict());
        try {
          return await tokens.remove(token);
        } finally {
          await tokens.close();
        }
      },
    }),
    ...tokenRunners,
    can: defineRunner({
      doc: 'Whether a user may do something, by the rules of the configuration, and which rule says so. Groups are those of this system, unless they are named.',
      params: {
        user: param.text({ doc: 'His name; `token:NAME` for an API token.' }),
        function: param.text({ doc: 'The function.' }),
        target: { default: '*', type: 'str', doc: 'The minions; nothing for functions of the master.' },
        ...QUESTION_PARAMS,
        eauth: param.text({
          default: '',
          keywordOnly: true,
          doc: 'Only the rules of this authentication system.',
        }),
        groups: param.listIfGiven({ default: null, keywordOnly: true, doc: 'His groups.' }),
      },
      varargs: 'args',
      kwargs: 'kwargs',
      returns:
        '`allowed`, and the rules that allow it with where each stands; or the reason of the refusal, and all rules that he has',
      examples: [
        "salt-run auth.can alice cmd.run 'web*' 'systemctl restart nginx'",
        'salt-run auth.can alice jobs.list_jobs client=runner',
      ],
      run: async (ctx, args, rest, kwargs) => {
        const token = apiTokenOf(ctx, args.user);
        const groups = args.groups?.map(pyStr) ?? (token === undefined ? await groupsOf(args.user) : []);
        const rules = token?.rules ?? rulesFor(ctx, { name: args.user, groups }, args.eauth);
        return answer(decideFor(ctx, args.user, rules, questionOf(ctx, args, rest, kwargs)), rules);
      },
    }),
    who: defineRunner({
      doc: 'Whose entries in the configuration let a function run: names, `group%`, and `*` for everybody who has no entry.',
      params: {
        function: param.text({ doc: 'The function.' }),
        target: { default: '*', type: 'str', doc: 'The minions; nothing for functions of the master.' },
        ...QUESTION_PARAMS,
      },
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of the option to the entries that allow it',
      examples: ["salt-run auth.who state.apply 'web*'"],
      run: (ctx, args, rest, kwargs) => {
        const question = questionOf(ctx, args, rest, kwargs);
        const found: Dict = new Map();
        for (const [source, entries] of tablesOf(ctx)) {
          const names = [...entries]
            .filter(([name, list]) => {
              const user = pyStr(name);
              return !user.startsWith('^') && decideFor(ctx, user, given(list, user), question).allowed;
            })
            .map(([name]) => name);
          if (names.length > 0) found.set(source, names);
        }
        const roles = [...ctx.opts.get('roles')].filter(
          ([role, said]) =>
            isDict(said) &&
            decideFor(ctx, '', given(said.get('rules') ?? null, pyStr(role)), question).allowed,
        );
        if (roles.length > 0)
          found.set(
            'roles',
            roles.map(([role]) => role),
          );
        return found;
      },
    }),
  },
});

/** The rules of an API token, which jobs name `token:NAME`. @throws RunnerRefusal for one that there is not */
function apiTokenOf({ opts }: RunnerContext, user: string): { readonly rules: GivenRule[] } | undefined {
  if (!user.startsWith('token:')) return undefined;
  const name = user.slice('token:'.length);
  const token = new ApiTokens(opts.get('pki_dir')).list().find((each) => each.name === name);
  if (token === undefined) throw new RunnerRefusal(`There is no API token ${name}: see auth.token_list.`);
  return { rules: rulesOfToken(opts.get('roles'), token) };
}

/** `publisher_acl`, and each part of `external_auth`. */
function tablesOf({ opts }: RunnerContext): [string, Dict][] {
  const tables: [string, Dict][] = [['publisher_acl', opts.get('publisher_acl')]];
  for (const [name, entries] of opts.get('external_auth'))
    if (isDict(entries)) tables.push([`external_auth ${pyStr(name)}`, entries]);
  return tables;
}

function rulesFor(ctx: RunnerContext, identity: Identity, eauth: string): GivenRule[] {
  const permissive = ctx.opts.get('permissive_acl');
  const ofRoles = rulesOfRoles(ctx.opts.get('roles'), identity);
  const ofTables = tablesOf(ctx).flatMap(([source, entries]) => {
    if (eauth !== '' && source !== `external_auth ${eauth}`) return [];
    return source === 'publisher_acl'
      ? rulesOfPatterns(entries, identity.name, source)
      : rulesOf(entries, identity, { source, permissive });
  });
  return [...ofTables, ...ofRoles];
}

function decideFor(
  { opts }: RunnerContext,
  user: string,
  rules: readonly GivenRule[],
  question: Question,
): Decision {
  return decide({ user, rights: { kind: 'limited', rules } }, question, opts.get('publisher_acl_blacklist'));
}

interface Asked {
  readonly function: string;
  readonly target: Value;
  readonly tgt_type: string;
  readonly client: string;
}

/** @throws RunnerRefusal for a client or a target that there is not */
function questionOf(
  { opts, fleet }: RunnerContext,
  { function: fun, target, tgt_type: tgtType, client }: Asked,
  rest: readonly Value[],
  kwargs: Dict,
): Question {
  const named = [...kwargs].filter(([name]) => !pyStr(name).startsWith('__'));
  const last: Value[] = named.length === 0 ? [] : [new Map<Value, Value>([['__kwarg__', true], ...named])];
  if (client === 'runner' || client === 'wheel') {
    // what stands where jobs have their target is an argument; nothing stands for none
    const first = target === '*' || target === null || target === '' ? [] : [target];
    return { client, fun, args: [...first, ...rest, ...last] };
  }
  if (client !== 'local')
    throw new RunnerRefusal(`There is no client ${client}: local, runner and wheel are.`);
  const nodegroups = opts.get('nodegroups');
  try {
    const parsed = parseTarget(target, tgtType, undefined, nodegroups);
    return {
      client,
      funs: [fun],
      args: [[...rest, ...last]],
      minions: forecast(parsed, fleet, { greedy: true }).minions,
      minionsOf: (expression) => reachOfRule(expression, fleet, nodegroups),
    };
  } catch (error) {
    if (error instanceof TargetError) throw new RunnerRefusal(error.message);
    throw error;
  }
}

/** @param his all rules that he has, none of which was enough for a refusal */
function answer(decision: Decision, his: readonly GivenRule[]): Dict {
  const shown = (rules: readonly GivenRule[]): Value =>
    rules.map(({ rule, source }) => dict({ rule, from: source }));
  return decision.allowed
    ? dict({ allowed: true, rules: shown(decision.rules) })
    : dict({ allowed: false, reason: decision.reason, his_rules: shown(his) });
}
