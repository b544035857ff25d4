/** `consul`: tokens of ACL in Consul (3006.16 salt/states/consul.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const ACL = {
  name: param.text({ doc: 'The name of the token, for people.' }),
  id: param.textIfGiven({ default: null, doc: 'The token itself; without it the one of this name.' }),
  token: param.textIfGiven({ default: null, doc: 'Who asks.' }),
} as const;
const URL = {
  consul_url: param.text({ default: 'http://localhost:8500', doc: 'The address of Consul.' }),
} as const;

/** A token, and where. */
interface Wanted {
  readonly name: string;
  readonly id: string | undefined;
  readonly token: string | undefined;
  readonly consul_url: string;
}

const call = async (
  ctx: StateContext,
  fun: string,
  { token, consul_url }: Wanted,
  more: Dict,
): Promise<Dict> => {
  const place = dict({ token: token ?? null, consul_url });
  const answer = await ctx.functions.call(`consul.${fun}`, [], new Map([...place, ...more]));
  return isDict(answer) ? answer : dict();
};

/**
 * The token that there is, by its id or its name.
 * Salt compat: what Consul refuses is told; Salt ends with a traceback.
 */
async function found(ctx: StateContext, wanted: Wanted): Promise<Dict | undefined> {
  const { id, name } = wanted;
  const answer = await (id === undefined
    ? call(ctx, 'acl_list', wanted, dict())
    : call(ctx, 'acl_info', wanted, dict({ id })));
  const data = answer.get('data') ?? null;
  if (!truthy(answer.get('res')))
    throw new CommandExecutionError(
      [data, answer.get('error') ?? answer.get('message') ?? null].filter(truthy).map(pyStr).join(' '),
    );
  const all = (Array.isArray(data) ? data : []).filter(isDict);
  return id === undefined
    ? all.filter((one) => one.get('Name') === name).at(-1)
    : all.find((one) => one.get('ID') === id);
}

/** The same, or the result of a state that cannot find it out. */
async function foundOrFailure(
  ctx: StateContext,
  wanted: Wanted,
): Promise<{ readonly acl: Dict | undefined } | { readonly failed: StateResult }> {
  try {
    return { acl: await found(ctx, wanted) };
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return { failed: failure(wanted.name, `Failed to read the acls: ${error.message}`) };
  }
}

interface Rights {
  readonly type: Value;
  readonly rules: Value;
}

async function present(ctx: StateContext, wanted: Wanted, { type, rules }: Rights): Promise<StateResult> {
  const { name, id } = wanted;
  const there = await foundOrFailure(ctx, wanted);
  if ('failed' in there) return there.failed;
  const { acl } = there;
  const fields = { name, type, rules };
  if (acl === undefined) {
    if (ctx.state.test) return outcome(name, null, "The acl doesn't exist, it will be created");
    const made = await call(ctx, 'acl_create', wanted, dict({ ...fields, id: id ?? null }));
    return truthy(made.get('res'))
      ? outcome(name, true, 'The acl has been created')
      : failure(name, 'Failed to create the acl');
  }
  const isRight = acl.get('Name') === name && acl.get('Rules') === rules && acl.get('Type') === type;
  if (isRight) return outcome(name, true, `ACL "${name}" exists and is up to date`);
  if (ctx.state.test) return outcome(name, null, 'The acl exists and will be updated');
  const changed = await call(ctx, 'acl_update', wanted, dict({ ...fields, id: acl.get('ID') ?? null }));
  return truthy(changed.get('res'))
    ? outcome(name, true, 'The acl has been updated')
    : failure(name, 'Failed to update the acl');
}

async function absent(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, id } = wanted;
  const there = await foundOrFailure(ctx, wanted);
  if ('failed' in there) return there.failed;
  if (there.acl === undefined) return outcome(id ?? name, true, `ACL "${id ?? 'None'}" does not exist`);
  if (ctx.state.test) return outcome(id ?? name, null, 'The acl exists, it will be deleted');
  const gone = await call(ctx, 'acl_delete', wanted, dict({ id: there.acl.get('ID') ?? null }));
  return truthy(gone.get('res'))
    ? outcome(id ?? name, true, 'The acl has been deleted')
    : failure(id ?? name, 'Failed to delete the acl');
}

/** The states of `consul`. */
export const consulStates = defineModule({
  name: 'consul',
  file: 'consul',
  doc: 'Tokens of ACL in Consul before 1.11.',
  functions: {
    acl_present: defineState({
      doc: 'Makes sure that there is a token with these rules.',
      params: {
        ...ACL,
        type: param.value({ default: 'client', type: 'str', doc: 'client or management.' }),
        rules: param.value({ default: '', type: 'str', doc: 'The rules.' }),
        ...URL,
      },
      run: (ctx, { type, rules, ...wanted }) => present(ctx, wanted, { type, rules }),
    }),
    acl_absent: defineState({
      doc: 'Makes sure that there is no such token.',
      params: { ...ACL, ...URL },
      run: (ctx, wanted) => absent(ctx, wanted),
    }),
  },
});
