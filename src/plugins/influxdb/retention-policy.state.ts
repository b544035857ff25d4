/** `influxdb_retention_policy`: how long InfluxDB keeps data (3006.16 salt/states/influxdb_retention_policy.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CLIENT } from './module/server.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { influx, whole } from './state/parts.ts';

const NAME = {
  name: param.text({ doc: 'The retention policy.' }),
  database: param.text({ doc: 'The database.' }),
} as const;
const SECONDS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-9],
  ['u', 1e-6],
  ['us', 1e-6],
  ['µs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
]);

interface WantedPolicy {
  readonly name: string;
  readonly database: string;
  readonly duration: string;
  readonly replication: Value;
  readonly default: boolean;
}

/**
 * A duration in seconds, as a site or the server writes it: 7d, 168h0m0s; what is kept for ever has 0.
 * Salt compat: Salt knows days and weeks only, and ends with a traceback for others.
 */
function secondsOf(duration: string): number {
  if (/^inf$/i.test(duration)) return 0;
  const parts = [...duration.matchAll(/(\d+)(ns|us|\u00b5s|ms|[usmhdw])/g)];
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (SECONDS.get(unit) ?? 1), 0);
}

async function existing(ctx: StateContext, wanted: WantedPolicy, client: Dict): Promise<StateResult> {
  const { name, database, duration, replication, default: isDefault } = wanted;
  const found = await influx(ctx, 'get_retention_policy', [database, name], client);
  const current: Dict = isDict(found) ? found : dict();
  const field = (key: string): Value => current.get(key) ?? null;
  const changes = dict();
  if (secondsOf(pyStr(field('duration'))) !== secondsOf(duration))
    changes.set('duration', `Retention changed from ${pyStr(field('duration'))} to ${duration}.`);
  // Salt compat: a text such as '2' never equals the number, so that Salt changes the policy each time
  if (pyStr(field('replicaN')) !== pyStr(replication))
    changes.set(
      'replication',
      `Replication changed from ${pyStr(field('replicaN'))} to ${pyStr(replication)}.`,
    );
  if (field('default') !== isDefault)
    changes.set('default', `Default changed from ${pyStr(field('default'))} to ${pyStr(isDefault)}.`);
  if (changes.size === 0) return outcome(name, true, `retention policy ${name} is already present`);
  if (ctx.state.test) return outcome(name, null, ` ${name} is present and set to be changed`, changes);
  const args = [database, name, duration, replication, isDefault];
  return (await influx(ctx, 'alter_retention_policy', args, client)) === true
    ? outcome(name, true, `retention policy ${name} has been changed`, changes)
    : failure(name, `Failed to update retention policy ${name}`);
}

/** The states of `influxdb_retention_policy`. */
export const influxdbRetentionPolicyStates = defineModule({
  name: 'influxdb_retention_policy',
  file: 'influxdb_retention_policy',
  doc: 'Retention policies of InfluxDB 1.x. Further keywords are those of the module influxdb.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a database has a retention policy.',
      params: {
        ...NAME,
        duration: param.text({ default: '7d', doc: 'How long data are kept: 90m, 12h, 7d, 4w, INF.' }),
        replication: param.value({ default: 1, type: 'int', doc: 'How many copies a cluster has.' }),
        default: param.flag({ default: false, doc: 'It is the default of the database.' }),
      },
      kwargs: CLIENT,
      run: async (ctx, wanted, client) => {
        const { name, database, duration, replication, default: isDefault } = wanted;
        if ((await influx(ctx, 'retention_policy_exists', [database, name], client)) === true)
          return existing(ctx, wanted, client);
        return whole(ctx, {
          name,
          isRight: false,
          comments: {
            right: '',
            foretold: ` ${name} is absent and will be created`,
            done: `retention policy ${name} has been created`,
            failed: `Failed to create retention policy ${name}`,
          },
          word: 'Present',
          run: () =>
            influx(
              ctx,
              'create_retention_policy',
              [database, name, duration, replication, isDefault],
              client,
            ),
        });
      },
    }),
    absent: defineState({
      doc: 'Makes sure that a database has no such retention policy.',
      params: NAME,
      kwargs: CLIENT,
      run: async (ctx, { name, database }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'retention_policy_exists', [database, name], client)) !== true,
          comments: {
            right: `retention policy ${name} is not present`,
            foretold: `retention policy ${name} is present and needs to be removed`,
            done: `retention policy ${name} has been removed`,
            failed: `Failed to remove retention policy ${name}`,
          },
          word: 'Absent',
          run: () => influx(ctx, 'drop_retention_policy', [database, name], client),
        }),
    }),
  },
});
