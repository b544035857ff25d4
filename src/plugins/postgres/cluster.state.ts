/**
 * `postgres_initdb` and `postgres_cluster`: folders of data, and the clusters of Debian's tools (3006.16
 * salt/states/postgres_initdb.py, salt/states/postgres_cluster.py).
 */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  failed,
  forgetTroubles,
  nameOf,
  postgres,
  switched,
  withoutClusters,
  withoutPostgres,
} from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';

/** The ways to log in for which `initdb` demands a password. */
const NEEDS_PASSWORD = new Set(['password', 'md5', 'scram-sha-256']);

/** The states of `postgres_initdb`. */
export const postgresInitdbStates = defineModule({
  name: 'postgres_initdb',
  file: 'postgres_initdb',
  doc: 'Folders of data of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that a folder of data has been made.',
      params: {
        ...nameOf('folder'),
        user: textIfSaid('The name of the superuser; default: who runs it.'),
        password: param.textOrNone({ default: null, doc: 'His password.' }),
        auth: param.text({ default: 'password', doc: 'How local users log in.' }),
        encoding: param.text({ default: 'UTF8', doc: 'The encoding of new databases.' }),
        locale: param.textOrNone({ default: null, doc: 'Their locale.' }),
        runas: textIfSaid('The user of the system who runs initdb.'),
        waldir: param.textOrNone({ default: null, doc: 'The folder of the log of transactions.' }),
        checksums: param.flag({ default: false, doc: 'Pages have checksums.' }),
      },
      // Salt compat: promised in test mode, and refused by initdb
      refuses: ({ auth, password = '' }) =>
        NEEDS_PASSWORD.has(auth) && password === ''
          ? `password is missing: with auth ${auth} the superuser could not log in`
          : undefined,
      run: async (ctx, { name, ...wanted }) => {
        const title = `Postgres data directory ${name}`;
        return switched(ctx, {
          name,
          isRight: truthy(await postgres(ctx, 'datadir_exists', [name])),
          change: 'Present',
          right: `${title} is already present`,
          foretold: `${title} is set to be initialized`,
          done: `${title} has been initialized`,
          failure: `${title} initialization failed`,
          run: async () => truthy(await postgres(ctx, 'datadir_init', [name], wanted)),
        });
      },
    }),
  },
});

interface WantedCluster {
  readonly version: string;
  readonly name: string;
  readonly port: string | undefined;
  readonly encoding: string | undefined;
  readonly locale: string | undefined;
  readonly datadir: string | undefined;
  readonly allow_group_access: boolean;
  readonly data_checksums: boolean;
  readonly wal_segsize: string | undefined;
}

async function clusterPresent(ctx: StateContext, wanted: WantedCluster): Promise<StateResult> {
  const { version, name, port, datadir } = wanted;
  const title = `${version}/${name}`;
  forgetTroubles(ctx);
  const all = await postgres(ctx, 'cluster_list', [], { verbose: true });
  const found = isDict(all) ? all.get(title) : undefined;
  if (isDict(found)) {
    const isOther =
      (port !== undefined && pyStr(found.get('port') ?? '') !== port) ||
      (datadir !== undefined && found.get('datadir') !== datadir);
    return isOther
      ? outcome(name, false, `Cluster ${title} has wrong parameters which couldn't be changed on fly.`)
      : outcome(name, true, `Cluster ${title} is already present`);
  }
  if (ctx.state.test) return outcome(name, null, `Cluster ${title} is set to be created`);
  return truthy(await postgres(ctx, 'cluster_create', [], { ...wanted }))
    ? outcome(name, true, `The cluster ${title} has been created`, dict({ [title]: 'Present' }))
    : failed(ctx, name, `Failed to create cluster ${title}`);
}

async function clusterAbsent(ctx: StateContext, version: string, name: string): Promise<StateResult> {
  const title = `${version}/${name}`;
  forgetTroubles(ctx);
  return switched(ctx, {
    name,
    isRight: !truthy(await postgres(ctx, 'cluster_exists', [version, name])),
    change: 'Absent',
    right: `Cluster ${title} is not present, so it cannot be removed`,
    foretold: `Cluster ${title} is set to be removed`,
    done: `Cluster ${title} has been removed`,
    failure: `Failed to remove cluster ${title}`,
    run: async () => {
      const ended = await postgres(ctx, 'cluster_remove', [version, name, true]);
      return isDict(ended) && toNumber(ended.get('retcode')) === 0;
    },
  });
}

const VERSION = { version: param.text({ isLine: true, doc: 'The version: 15.' }) } as const;

/** The states of `postgres_cluster`. */
export const postgresClusterStates = defineModule({
  name: 'postgres_cluster',
  file: 'postgres_cluster',
  doc: 'Clusters of PostgreSQL, by the tools of Debian.',
  unavailable: withoutClusters,
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a cluster. The port and the folder of one that is there are not changed.',
      params: {
        ...nameOf('cluster'),
        ...VERSION,
        port: param.textIfGiven({ default: null, type: 'int', isLine: true, doc: 'Its port.' }),
        encoding: param.textIfGiven({ default: null, isLine: true, doc: 'Its encoding.' }),
        locale: param.textIfGiven({ default: null, isLine: true, doc: 'Its locale.' }),
        datadir: param.textIfGiven({ default: null, isLine: true, doc: 'Its folder.' }),
        allow_group_access: param.flag({ default: null, doc: 'The group of the owner may read its files.' }),
        data_checksums: param.flag({ default: null, doc: 'Pages have checksums.' }),
        wal_segsize: param.textIfGiven({
          default: null,
          isLine: true,
          doc: 'The size of a piece of its log, in megabytes.',
        }),
      },
      run: clusterPresent,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such cluster. One that runs is stopped.',
      params: { ...nameOf('cluster'), ...VERSION },
      run: (ctx, { version, name }) => clusterAbsent(ctx, version, name),
    }),
  },
});
