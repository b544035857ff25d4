/** `rabbitmq_upstream`: brokers that others take messages from (3006.16 salt/states/rabbitmq_upstream.py). */
import { parseJson } from '../../formats/json/text.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { UPSTREAM_PARAMS } from './module/upstream-params.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { nameOf, orFailure, rabbit, RUNAS } from './state/parts.ts';

const PASSWORD_IN_URI = /(\/\/[^:/@\s]*:)[^@\s]*@/g;

/** Settings as results show them. Salt compat: Salt's results have the password of the address in them. */
function shown(settings: Dict): Dict {
  const hidden = (value: Value): Value =>
    typeof value === 'string' ? value.replace(PASSWORD_IN_URI, '$1***@') : value;
  return new Map([...settings].map(([key, value]): [Value, Value] => [key, hidden(value)]));
}

/** What differs between settings; undefined where nothing does. */
function difference(old: Dict, wanted: Dict): Dict | undefined {
  const missingIn = (one: Dict, other: Dict): Dict =>
    new Map(
      [...one].filter(([key, value]) => !other.has(key) || !valuesEqual(other.get(key) ?? null, value)),
    );
  const [before, after] = [missingIn(old, wanted), missingIn(wanted, old)];
  if (before.size === 0 && after.size === 0) return undefined;
  return dict({
    ...(before.size === 0 ? {} : { old: shown(before) }),
    ...(after.size === 0 ? {} : { new: shown(after) }),
  });
}

async function present(
  ctx: StateContext,
  name: string,
  settings: Readonly<Record<string, Value>>,
  runas: Value,
): Promise<StateResult> {
  const known = await rabbit(ctx, 'list_upstreams', [], dict({ runas }));
  const definition = isDict(known) ? known.get(name) : undefined;
  const wanted: Dict = new Map(
    Object.entries(settings).flatMap(([key, value]): [Value, Value][] =>
      truthy(value) ? [[key.replaceAll('_', '-'), value]] : [],
    ),
  );
  const current = definition === undefined ? undefined : parseJson(pyStr(definition));
  const changes = isDict(current) ? difference(current, wanted) : dict({ old: null, new: shown(wanted) });
  if (changes === undefined) return outcome(name, true, `Upstream "${name}" already present as specified.`);
  const action = isDict(current) ? 'update' : 'create';
  if (ctx.state.test) return outcome(name, null, `Upstream "${name}" would have been ${action}d.`);
  try {
    await rabbit(ctx, 'set_upstream', [name], dict({ ...settings, runas }));
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome(name, false, `Error trying to ${action} upstream: ${error.message}`);
  }
  return outcome(name, true, `Upstream "${name}" ${action}d.`, changes);
}

/** The states of `rabbitmq_upstream`. */
export const rabbitmqUpstreamStates = defineModule({
  name: 'rabbitmq_upstream',
  file: 'rabbitmq_upstream',
  doc: 'Brokers that a RabbitMQ takes messages from.',
  needs: { fun: 'rabbitmq.list_upstreams', otherwise: 'rabbitmq module could not be loaded' },
  words: { dashes: ['password'] },
  functions: {
    present: defineState({
      doc: 'Makes sure that there is an upstream.',
      params: { ...nameOf('upstream'), ...UPSTREAM_PARAMS, ...RUNAS },
      run: (ctx, { name, runas, ...settings }) => orFailure(name, () => present(ctx, name, settings, runas)),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such upstream.',
      params: { ...nameOf('upstream'), ...RUNAS },
      run: (ctx, { name, runas }) =>
        orFailure(name, async () => {
          const keywords = dict({ runas });
          if (!truthy(await rabbit(ctx, 'upstream_exists', [name], keywords)))
            return outcome(name, true, `The upstream "${name}" is already absent.`);
          if (ctx.state.test) return outcome(name, null, `Upstream "${name}" would have been deleted.`);
          await rabbit(ctx, 'delete_upstream', [name], keywords);
          const changes = dict({ old: name, new: null });
          return outcome(name, true, `Upstream "${name}" has been deleted.`, changes);
        }),
    }),
  },
});
