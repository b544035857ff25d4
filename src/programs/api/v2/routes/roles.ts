/** Roles of the configuration: who may do what. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Value } from '../../../../python/values/value.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import { anything, component, list, object, text } from '../schema.ts';

const role = component(
  'Role',
  object({
    role: text(),
    users: list(text()),
    groups: list(text()),
    tokens: list(text()),
    rules: list(anything('in the forms of external_auth')),
  }),
);

/** The routes. */
export const roleRoutes: readonly Route[] = [
  route({
    id: 'roles.list',
    method: 'GET',
    path: '/roles',
    summary: 'The roles of the option roles.',
    needs: { client: 'runner', fun: 'auth.who' },
    query: pageQuery,
    answer: page(role),
    faults: ['bad-cursor'],
    run: ({ deps, query }) => {
      const all = [...deps.files.opts.get('roles')].flatMap(([name, said]) => {
        if (!isDict(said)) return [];
        const rules = said.get('rules');
        return [
          {
            role: pyStr(name),
            users: textsOf(said.get('users')),
            groups: textsOf(said.get('groups')),
            tokens: textsOf(said.get('tokens')),
            rules: Array.isArray(rules) ? rules : [],
          },
        ];
      });
      return Promise.resolve(pageOf('roles', all, query));
    },
  }),
];

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(pyStr) : [];
}
