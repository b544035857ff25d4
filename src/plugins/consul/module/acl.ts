/** `consul`: tokens of ACL as Consul had them before 1.11 (3006.16 salt/modules/consul.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { keyword, PLACE, refused, renamed, told, withConsul } from './server.ts';

const NO_ID = 'Required parameter "id" is missing.';
const DONE = '{message: what was done, res}';

/**
 * Rules as Consul reads them. Salt compat: 3006.16 hands a list over as it is, which Consul refuses (65788).
 * @param rules a text, or a list of mappings: `{key: path}` begins a rule, `{policy: read}` ends it
 */
export function withRules(data: Dict): Dict {
  const rules = data.get('Rules');
  if (!Array.isArray(rules)) return data;
  const lines = rules
    .filter(isDict)
    .flatMap((rule) => [...rule])
    .map(([kind, value]) =>
      kind === 'policy' ? `  policy = ${quoted(value)}\n}\n` : `${pyStr(kind)} ${quoted(value)} {\n`,
    );
  return data.set('Rules', lines.join(''));
}

const quoted = (value: Value): string => JSON.stringify(pyStr(value));

/** Functions for ACLs. */
export const aclFunctions = {
  acl_create: defineFunction({
    doc: 'Makes a token: `name`, `id`, `type` (client or management), `rules`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' consul.acl_create name='web' type='client'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const name = pyStr(keyword(given, 'name'));
        const data = withRules(
          renamed(given, [
            ['id', 'id'],
            ['name', 'Name'],
            ['type', 'Type'],
            ['rules', 'Rules'],
          ]),
        );
        const reply = await ask({ path: ['acl', 'create'], method: 'PUT', data });
        return told(reply, `ACL ${name} created.`, `Removing Catalog item ${name} failed.`);
      }),
  }),
  acl_update: defineFunction({
    doc: 'Changes a token: `id`, `name`, `type`, `rules`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' consul.acl_update id='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716' name='web'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        if (!given.has('id')) return refused(NO_ID);
        const name = pyStr(keyword(given, 'name'));
        const data = withRules(
          renamed(given, [
            ['id', 'ID'],
            ['name', 'Name'],
            ['type', 'Type'],
            ['rules', 'Rules'],
          ]),
        );
        const reply = await ask({ path: ['acl', 'update'], method: 'PUT', data });
        return told(reply, `ACL ${name} created.`, `Updating ACL ${name} failed.`);
      }),
  }),
  acl_delete: defineFunction({
    doc: 'Removes a token, by its `id`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' consul.acl_delete id='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        if (!given.has('id')) return refused(NO_ID);
        const id = pyStr(given.get('id') ?? null);
        const reply = await ask({ path: ['acl', 'destroy', id], method: 'PUT', data: dict() });
        return told(reply, `ACL ${id} deleted.`, `Removing ACL ${id} failed.`);
      }),
  }),
  acl_info: defineFunction({
    doc: 'Returns a token, by its `id`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{data: list of mappings, res}',
    examples: ["salt '*' consul.acl_info id='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        if (!given.has('id')) return refused(NO_ID);
        return (await ask({ path: ['acl', 'info', pyStr(given.get('id') ?? null)] })).whole;
      }),
  }),
  acl_clone: defineFunction({
    doc: 'Makes a token with the rules of another, by its `id`; `name` is for the message.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{message: what was done, res, ID: what Consul says of the new one}',
    examples: ["salt '*' consul.acl_clone id='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716' name='web'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        if (!given.has('id')) return refused(NO_ID);
        const id = pyStr(given.get('id') ?? null);
        // Salt compat: without a name Salt ends with a KeyError
        const name = pyStr(given.get('name') ?? id);
        const { isGood, data } = await ask({ path: ['acl', 'clone', id], method: 'PUT', data: dict() });
        return isGood
          ? dict({ res: true, message: `ACL ${name} cloned.`, ID: data })
          : dict({ res: false, message: `Cloning ACL item ${name} failed.` });
      }),
  }),
  acl_list: defineFunction({
    doc: 'Lists the tokens.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{data: list of mappings, res}',
    examples: ["salt '*' consul.acl_list"],
    run: (ctx, place) => withConsul(ctx, place, async (ask) => (await ask({ path: ['acl', 'list'] })).whole),
  }),
} as const;
