/** `influxdb_database`: databases of InfluxDB (3006.16 salt/states/influxdb_database.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CLIENT } from './module/server.ts';
import { defineState } from '../shared/state-function.ts';
import { influx, whole } from './state/parts.ts';

const NAME = { name: param.text({ doc: 'The database.' }) } as const;

/** The states of `influxdb_database`. */
export const influxdbDatabaseStates = defineModule({
  name: 'influxdb_database',
  file: 'influxdb_database',
  doc: 'Databases of InfluxDB 1.x. Further keywords are those of the module influxdb.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a database.',
      params: NAME,
      kwargs: CLIENT,
      run: async (ctx, { name }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'db_exists', [name], client)) === true,
          comments: {
            right: `Database ${name} is already present`,
            foretold: `Database ${name} is absent and will be created`,
            done: `Database ${name} has been created`,
            failed: `Failed to create database ${name}`,
          },
          word: 'Present',
          run: () => influx(ctx, 'create_db', [name], client),
        }),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such database.',
      params: NAME,
      kwargs: CLIENT,
      run: async (ctx, { name }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'db_exists', [name], client)) !== true,
          comments: {
            right: `Database ${name} is not present`,
            foretold: `Database ${name} is present and needs to be removed`,
            done: `Database ${name} has been removed`,
            failed: `Failed to remove database ${name}`,
          },
          word: 'Absent',
          run: () => influx(ctx, 'drop_db', [name], client),
        }),
    }),
  },
});
