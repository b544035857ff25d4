/** `influxdb_continuous_query`: continuous queries of InfluxDB (3006.16 salt/states/influxdb_continuous_query.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CLIENT } from './module/server.ts';
import { defineState } from '../shared/state-function.ts';
import { influx, whole } from './state/parts.ts';

const NAME = {
  name: param.text({ doc: 'The continuous query.' }),
  database: param.text({ doc: 'The database.' }),
} as const;

/** The states of `influxdb_continuous_query`. */
export const influxdbContinuousQueryStates = defineModule({
  name: 'influxdb_continuous_query',
  file: 'influxdb_continuous_query',
  doc: 'Continuous queries of InfluxDB 1.x. Further keywords are those of the module influxdb.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a database has a continuous query of this name; one that is there is left as it is.',
      params: {
        ...NAME,
        query: param.text({ doc: 'What is asked, in InfluxQL.' }),
        resample_time: param.value({ default: null, type: 'str', doc: 'How often it is asked.' }),
        coverage_period: param.value({ default: null, type: 'str', doc: 'The time that it covers.' }),
      },
      kwargs: CLIENT,
      run: async (ctx, { name, database, query, resample_time, coverage_period }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'continuous_query_exists', [database, name], client)) === true,
          comments: {
            right: `continuous query ${name} is already present`,
            foretold: ` ${name} is absent and will be created`,
            done: `continuous query ${name} has been created`,
            failed: `Failed to create continuous query ${name}`,
          },
          word: 'Present',
          run: () =>
            influx(
              ctx,
              'create_continuous_query',
              [database, name, query, resample_time, coverage_period],
              client,
            ),
        }),
    }),
    absent: defineState({
      doc: 'Makes sure that a database has no such continuous query.',
      params: NAME,
      kwargs: CLIENT,
      run: async (ctx, { name, database }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'continuous_query_exists', [database, name], client)) !== true,
          comments: {
            right: `continuous query ${name} is not present`,
            foretold: `continuous query ${name} is present and needs to be removed`,
            done: `continuous query ${name} has been removed`,
            failed: `Failed to remove continuous query ${name}`,
          },
          word: 'Absent',
          run: () => influx(ctx, 'drop_continuous_query', [database, name], client),
        }),
    }),
  },
});
