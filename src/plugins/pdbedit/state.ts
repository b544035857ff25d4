/** `pdbedit`: accounts of Samba (3006.16 salt/states/pdbedit.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { accountOf, changingWords, hashOf } from './module/accounts.ts';
import { ACCOUNT } from './module.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The account.' }) } as const;
const MANAGED = { ...NAME, ...ACCOUNT } as const;
type Wanted = TypedArguments<typeof MANAGED>;

/** What two states of an account differ in, each attribute with its old and its new value. */
function difference(before: Dict, after: Dict): Dict {
  const found = dict();
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(key) ?? '', after.get(key) ?? ''];
    if (old !== now) found.set(key, dict({ new: now, old }));
  }
  return found;
}

/** Salt compat: Salt changes the account in test mode, too. */
async function foretold(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, password } = wanted;
  const now = await accountOf(ctx, name, true);
  if (now.size === 0)
    return password === undefined
      ? outcome(name, false, 'absent')
      : outcome(name, null, `account ${name} will be created`, dict({ [name]: 'created' }));
  const isNew = password !== undefined && hashOf(password, wanted.password_hashed) !== now.get('nt hash');
  if (!isNew && changingWords(ctx, now, wanted).length === 0) return outcome(name, true, '');
  return outcome(name, null, `account ${name} will be updated`, dict({ [name]: 'updated' }));
}

async function managed(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  if (ctx.state.test) return foretold(ctx, wanted);
  const { name, ...rest } = wanted;
  const before = await accountOf(ctx, name, true);
  const given = Object.entries(rest).map(([key, value]): [Value, Value] => [key, value ?? null]);
  const said = await ctx.functions.call(
    'pdbedit.modify',
    [],
    new Map([['login', name] as [Value, Value], ...given]),
  );
  const done = isDict(said) ? pyStr(said.get(name) ?? null) : pyStr(said);
  if (done === 'unchanged') return outcome(name, true, '');
  if (done === 'created') return outcome(name, true, '', dict({ [name]: done }));
  if (done !== 'updated') return outcome(name, false, done);
  const after = await accountOf(ctx, name, true);
  return outcome(name, true, '', dict({ [name]: difference(before, after) }));
}

async function absent(ctx: StateContext, name: string): Promise<StateResult> {
  const names = await ctx.functions.call('pdbedit.list', [false]);
  const isThere = Array.isArray(names) ? names.includes(name) : isDict(names) && names.has(name);
  if (!isThere) return outcome(name, true, `account ${name} is absent`);
  // Salt compat: Salt deletes in test mode, too, and does not say why it could not
  if (ctx.state.test)
    return outcome(name, null, `account ${name} will be deleted`, dict({ [name]: 'deleted' }));
  const said = await ctx.functions.call('pdbedit.delete', [name]);
  const done = isDict(said) ? pyStr(said.get(name) ?? null) : pyStr(said);
  if (done === 'deleted') return outcome(name, true, '', dict({ [name]: done }));
  return done === 'absent' ? outcome(name, true, '') : outcome(name, false, done);
}

/** The states of `pdbedit`. */
export const pdbeditStates = defineModule({
  name: 'pdbedit',
  file: 'pdbedit',
  doc: 'Accounts of Samba.',
  needs: {
    fun: 'pdbedit.create',
    otherwise: 'pdbedit state module can only be loaded when the pdbedit module is available',
  },
  functions: {
    absent: defineState({
      doc: 'Makes sure that there is no such account.',
      params: NAME,
      run: (ctx, { name }) => absent(ctx, name),
    }),
    managed: defineState({
      doc: 'Makes sure of an account, its password and what else is said of it.',
      params: MANAGED,
      kwargs: 'kwargs',
      run: managed,
    }),
    present: defineState({ doc: 'As managed.', params: MANAGED, kwargs: 'kwargs', run: managed }),
  },
});
