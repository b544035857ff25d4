/** `saltutil`: custom modules, brought here (3006.16 salt/states/saltutil.py). */
import { messageOf } from '../../errors/errors.ts';
import { defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** What `saltutil.sync_<kind>` brings. */
const KINDS: readonly string[] = [
  ...['beacons', 'clouds', 'engines', 'executors', 'grains', 'log_handlers', 'matchers', 'modules', 'output'],
  ...['outputters', 'pillar', 'proxymodules', 'renderers', 'returners', 'sdb', 'serializers', 'states'],
  ...['thorium', 'utils'],
];

/** @param gather the changes and the comment out of what the function gave; undefined when there was nothing new */
function sync(
  kind: string,
  gather: (status: Value) => { changes: Dict; comment: string } | undefined,
): FunctionSpec {
  const what = kind === 'all' ? 'all modules' : kind.replaceAll('_', ' ');
  return defineState({
    doc: `Brings custom ${what} from the master.`,
    params: { name: param.text({ doc: 'Any text that distinguishes the states.' }) },
    kwargs: 'kwargs',
    run: async (ctx, { name }, kwargs) => {
      if (ctx.state.test) return outcome(name, null, `saltutil.sync_${kind} would have been run`);
      try {
        const gathered = gather(await ctx.functions.call(`saltutil.sync_${kind}`, [], kwargs));
        return gathered === undefined
          ? outcome(name, true, 'No updates to sync')
          : outcome(name, true, gathered.comment, gathered.changes);
      } catch (error) {
        ctx.log.error(`Failed to run saltutil.sync_${kind}: ${messageOf(error)}`);
        return failure(name, `Failed to run sync_${kind}: ${messageOf(error)}`);
      }
    },
  });
}

const syncAll = sync('all', (status) => {
  const news = [...(isDict(status) ? status : [])].filter(([, value]) => truthy(value));
  return news.length === 0 ? undefined : { changes: new Map(news), comment: 'Sync performed' };
});

/** The states of `saltutil`. */
export const saltutilStates = defineModule({
  name: 'saltutil',
  file: 'saltutil',
  doc: 'Custom modules, brought from the master.',
  functions: {
    sync_all: syncAll,
    ...Object.fromEntries(
      KINDS.map((kind) => [
        `sync_${kind}`,
        sync(kind, (status) =>
          truthy(status) ? { changes: dict({ [kind]: status }), comment: `Updated ${kind}.` } : undefined,
        ),
      ]),
    ),
  },
});
