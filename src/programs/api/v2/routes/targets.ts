/** Whom a target reaches, before anything is sent. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict } from '../../../../python/values/value.ts';
import { route, type Route } from '../route.ts';
import { anything, dictionary, integer, list, object, optional, text } from '../schema.ts';
import { preview, previewOf, targetText, targetType } from '../targets.ts';
import { callArguments } from '../publishing.ts';

/** The routes. */
export const targetRoutes: readonly Route[] = [
  route({
    id: 'targets.preview',
    method: 'POST',
    path: '/targets/preview',
    summary: 'Whom a target reaches. Nothing is sent to any minion.',
    doc: 'Minions are shown to whoever may run the function on all of them, or may call the runner cache.grains.',
    offered: 'some job',
    body: object({
      tgt: anything('a text, or for `list` a list of names'),
      tgt_type: optional(targetType),
      fun: optional(text({ minLength: 1, maxLength: 200, description: 'default test.ping' })),
      arg: optional(list(anything())),
      kwarg: optional(dictionary()),
      limit: optional(
        integer({ minimum: 0, maximum: 10_000, description: 'minions in the answer; default 1000' }),
      ),
    }),
    answer: preview,
    faults: ['bad-target'],
    run: ({ deps, caller, body }) => {
      const { tgt, tgt_type: tgtType = 'glob', fun = 'test.ping', limit } = body;
      return previewOf(deps, caller, {
        tgt,
        tgtType,
        fun,
        args: callArguments(body),
        ...(limit === undefined ? {} : { limit }),
      });
    },
  }),
  route({
    id: 'targets.nodegroups',
    method: 'GET',
    path: '/targets/nodegroups',
    summary: 'The node groups of the master.',
    needs: { client: 'runner', fun: 'cache.grains' },
    answer: object({ items: list(object({ name: text(), expression: text() })) }),
    run: ({ deps }) => {
      const groups = deps.link.opts.raw('nodegroups');
      const entries = isDict(groups) ? [...groups] : [];
      return Promise.resolve({
        items: entries.map(([name, expression]) => ({
          name: pyStr(name),
          expression: targetText(expression),
        })),
      });
    },
  }),
];
