/** `ldap3`: entries of a directory. Follows 3006.16 salt/modules/ldap3.py, with python-ldap below it. */
import { LdapProblem, type DirectoryEditor } from '../../network/ldap/editor.ts';
import type { LdapScope } from '../../network/ldap/directory.ts';
import { ArgumentError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { asSaltSays, withConnection } from './module/connection.ts';
import { attributesOf, changesBetween, directivesOf } from './module/changes.ts';

const NO_SUCH_OBJECT = 32;
const SCOPES: ReadonlyMap<string, LdapScope> = new Map([
  ['base', 'base'],
  ['onelevel', 'one'],
  ['subtree', 'sub'],
]);

const SPEC = {
  connect_spec: param.value({
    type: 'dict',
    doc: 'How the server is reached: url, bind (method, dn, password, mechanism), tls, opts.',
  }),
} as const;
const DN = { dn: param.text({ doc: 'The name of the entry.' }) } as const;

/** What is searched for. */
interface Search {
  readonly base: string;
  readonly scope: string;
  readonly filterstr: string;
  readonly attrlist: readonly Value[];
  readonly attrsonly: boolean;
}

/** Searches over a connection. @returns the entries by their names; none where there is no such base */
export async function searchEntries(editor: DirectoryEditor, search: Search): Promise<Dict> {
  const scope = SCOPES.get(search.scope.toLowerCase());
  if (scope === undefined)
    throw new ArgumentError(`module 'ldap' has no attribute 'SCOPE_${search.scope.toUpperCase()}'`);
  const { attrlist } = search;
  try {
    const found = await editor.search({
      base: search.base,
      scope,
      filter: search.filterstr,
      attributes: attrlist.map(pyStr),
      namesOnly: search.attrsonly,
    });
    return new Map(found.map(({ dn, values }): [Value, Value] => [dn, asDict(values)]));
  } catch (error) {
    if (error instanceof LdapProblem && error.facts.code === NO_SUCH_OBJECT) return new Map();
    throw error;
  }
}

/** Values by their attributes, as functions give them: bytes. */
export function asDict(values: ReadonlyMap<string, readonly Uint8Array[]>): Dict {
  return new Map([...values].map(([name, list]): [Value, Value] => [name, [...list]]));
}

/** The module. */
export const ldap3Module = defineModule({
  name: 'ldap3',
  file: 'ldap3',
  doc: 'Entries of a directory (LDAP). No connection outlasts its function.',
  functions: {
    connect: defineFunction({
      doc: 'Connects to a server and binds as the specification says, to see whether that can be done.',
      params: { connect_spec: { ...SPEC.connect_spec, default: null } },
      // Salt compat: there is no object of Python here that could be handed on
      returns: 'the text that Salt shows for a connection',
      examples: [
        "salt '*' ldap3.connect \"{'url': 'ldaps://ldap.example.com/', 'bind': {'method': 'simple', 'dn': 'cn=admin,dc=example,dc=com', 'password': 'secret'}}\"",
      ],
      run: (_ctx, { connect_spec }) =>
        withConnection(connect_spec, () =>
          Promise.resolve('<salt.loaded.int.module.ldap3._connect_ctx object>'),
        ),
    }),
    search: defineFunction({
      doc: 'Searches entries.',
      params: {
        ...SPEC,
        base: param.text({ doc: 'The name of the entry where it begins.' }),
        scope: param.text({ default: 'subtree', doc: 'subtree, base or onelevel.' }),
        filterstr: param.text({ default: '(objectClass=*)', doc: 'The filter.' }),
        attrlist: param.list({ default: null, doc: 'Only these attributes.' }),
        attrsonly: param.flag({ type: 'int', default: 0, doc: 'No values, where it is not 0.' }),
      },
      returns: 'mapping of names of entries to mappings of attributes to lists of values',
      examples: ["salt '*' ldap3.search \"{'url': 'ldaps://ldap.example.com/'}\" base='dc=example,dc=com'"],
      run: (_ctx, { connect_spec, ...search }) =>
        withConnection(connect_spec, (editor) => searchEntries(editor, search)),
    }),
    add: defineFunction({
      doc: 'Adds an entry.',
      params: {
        ...SPEC,
        ...DN,
        attributes: param.value({ type: 'dict', doc: 'Its attributes, each with its values.' }),
      },
      returns: 'true',
      examples: [
        "salt '*' ldap3.add \"{'url': 'ldaps://ldap.example.com/'}\" dn='dc=example,dc=com' attributes=\"{'example': ['value']}\"",
      ],
      run: (ctx, { connect_spec, dn, attributes }) => {
        const values = attributesOf(attributes, true);
        ctx.log.info(`adding entry: dn: ${dn} attributes: ${[...values.keys()].join(', ')}`);
        return withConnection(connect_spec, async (editor) => {
          await editor.add(dn, values);
          return true;
        });
      },
    }),
    delete: defineFunction({
      doc: 'Deletes an entry.',
      params: { ...SPEC, ...DN },
      returns: 'true',
      examples: [
        "salt '*' ldap3.delete \"{'url': 'ldaps://ldap.example.com/'}\" dn='cn=admin,dc=example,dc=com'",
      ],
      run: (ctx, { connect_spec, dn }) => {
        ctx.log.info(`deleting entry: dn: ${dn}`);
        return withConnection(connect_spec, async (editor) => {
          await editor.delete(dn);
          return true;
        });
      },
    }),
    modify: defineFunction({
      doc: 'Changes an entry by directives.',
      params: {
        ...SPEC,
        ...DN,
        directives: param.by(directivesOf, {
          type: 'list',
          doc: 'Lists of an operation (add, delete, replace), an attribute and values.',
        }),
      },
      returns: 'true',
      examples: [
        "salt '*' ldap3.modify \"{'url': 'ldaps://ldap.example.com/'}\" dn='cn=admin,dc=example,dc=com' directives=\"[['add', 'example', ['example_val']]]\"",
      ],
      run: (_ctx, { connect_spec, dn, directives }) =>
        withConnection(connect_spec, async (editor) => {
          await editor.modify(dn, directives);
          return true;
        }),
    }),
    change: defineFunction({
      doc: 'Changes an entry from what it is expected to be to what it shall be.',
      params: {
        ...SPEC,
        ...DN,
        before: param.value({ type: 'dict', doc: 'Its attributes as they are.' }),
        after: param.value({ type: 'dict', doc: 'Its attributes as they shall be.' }),
      },
      returns: 'true',
      examples: [
        "salt '*' ldap3.change \"{'url': 'ldaps://ldap.example.com/'}\" dn='cn=admin,dc=example,dc=com' before=\"{'example': ['before_val']}\" after=\"{'example': ['after_val']}\"",
      ],
      run: (_ctx, { connect_spec, dn, before, after }) =>
        withConnection(connect_spec, (editor) =>
          asSaltSays(async () => {
            await editor.modify(dn, changesBetween(attributesOf(before, false), attributesOf(after, true)));
            return true;
          }),
        ),
    }),
  },
});
