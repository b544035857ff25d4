/** `doc.*`: documentation of functions (salt/runners/doc.py, 3006.16). */
import { ClientError } from '../../runtime/client/errors.ts';
import { catalogOf } from '../../runtime/loader/catalog.ts';
import { functionDoc } from '../../runtime/loader/documentation.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { callMinions } from '../shared/runner/minion-calls.ts';
import {
  defineRunner,
  defineRunners,
  type MasterFunctionKind,
  type RunnerContext,
} from '../shared/runner/runner.ts';

async function docsOf(ctx: RunnerContext, kind: MasterFunctionKind): Promise<Dict> {
  const functions = catalogOf(await ctx.modules(kind));
  return new Map([...functions].map(([name, spec]) => [name, functionDoc(name, spec)]));
}

/** The doc runner. */
export const docRunners = defineRunners({
  name: 'doc',
  doc: 'Documentation of functions.',
  functions: {
    runner: defineRunner({
      doc: 'Gives the documentation of all runners.',
      returns: 'mapping of full name to documentation',
      examples: ['salt-run doc.runner'],
      run: (ctx) => docsOf(ctx, 'runner'),
    }),
    wheel: defineRunner({
      doc: 'Gives the documentation of all wheel functions.',
      returns: 'mapping of full name to documentation',
      examples: ['salt-run doc.wheel'],
      run: (ctx) => docsOf(ctx, 'wheel'),
    }),
    execution: defineRunner({
      doc: 'Gives the documentation of all functions of all minions that answer.',
      returns: 'mapping of full name to documentation',
      examples: ['salt-run doc.execution'],
      run: async (ctx) => {
        try {
          const answers = await callMinions(ctx, { tgt: '*', fun: 'sys.doc' });
          const docs: Dict = new Map();
          for (const load of answers?.returns.values() ?? []) {
            const found = load.get('return');
            if (isDict(found)) for (const [name, doc] of found) docs.set(name, doc);
          }
          return docs;
        } catch (error) {
          if (!(error instanceof ClientError)) throw error;
          ctx.print(error.message);
          return [];
        }
      },
    }),
  },
});
