/**
 * Folders of data, and the clusters of Debian's tools (3006.16 salt/modules/postgres.py, salt/modules/deb_postgres.py).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { findUser } from '../../../host/users.ts';
import { findProgram } from '../../../host/which.ts';
import { isFile, joinPath } from '../../../python/paths.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { withTempFile } from '../../shared/temp-file.ts';
import { runAll, type Ended } from '../../shared/program.ts';
import { POSTGRES_ERROR, programOf, serverAccount, timeLimit } from './connection.ts';

const isDataFolder = (path: string): boolean =>
  isFile(joinPath(path, 'PG_VERSION')) && isFile(joinPath(path, 'postgresql.conf'));

/** What a new folder of data is to be like. */
interface NewFolder {
  readonly name: string;
  readonly auth: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly encoding: string;
  readonly locale: string | undefined;
  readonly waldir: string | undefined;
  readonly checksums: boolean;
  readonly runas: string | undefined;
}

async function initialize(ctx: ModuleContext, wanted: NewFolder): Promise<Ended> {
  const runas = wanted.runas ?? serverAccount(ctx);
  const program = await programOf(ctx, 'initdb');
  if (program === undefined) throw new CommandExecutionError('initdb executable not found.');
  const argv = [
    ...[program, `--pgdata=${wanted.name}`, `--username=${wanted.user ?? runas}`, `--auth=${wanted.auth}`],
    `--encoding=${wanted.encoding}`,
    ...(wanted.locale === undefined ? [] : [`--locale=${wanted.locale}`]),
    // the long form has another name before version 10
    ...(wanted.waldir === undefined ? [] : ['-X', wanted.waldir]),
    ...(wanted.checksums ? ['--data-checksums'] : []),
  ];
  const keywords: DictInit = { runas, clean_env: true, timeout: await timeLimit(ctx) };
  const { password } = wanted;
  if (password === undefined) return runAll(ctx, argv, keywords);
  const file = { content: password, mode: 0o600, owner: await findUser(runas) };
  return withTempFile(ctx, 'postgres.datadir_init', file, (path) =>
    runAll(ctx, [...argv, `--pwfile=${path}`], keywords),
  );
}

/** Leaves what a program said for the state that asked. */
function noted(ctx: ModuleContext, ended: Ended): Ended {
  if (ended.retcode !== 0) ctx.state?.memory.set(POSTGRES_ERROR, (ended.stderr || ended.stdout).trim());
  return ended;
}

/** The functions about folders of data. */
export const folderFunctions = {
  datadir_init: defineFunction({
    doc: 'Makes a folder of data.',
    params: {
      name: param.text({ doc: 'The folder.' }),
      auth: param.text({ default: 'password', doc: 'How local users log in.' }),
      user: param.textIfGiven({ default: null, doc: 'The name of the superuser; default: who runs it.' }),
      password: param.textOrNone({ default: null, doc: 'His password.' }),
      encoding: param.text({ default: 'UTF8', doc: 'The encoding of new databases.' }),
      locale: param.textOrNone({ default: null, doc: 'Their locale.' }),
      waldir: param.textOrNone({ default: null, doc: 'The folder of the log of transactions.' }),
      checksums: param.flag({ default: false, doc: 'Pages have checksums.' }),
      runas: param.textIfGiven({ default: null, doc: 'The user of the system who runs initdb.' }),
    },
    returns: 'true; false when there is one, or it failed',
    examples: ["salt '*' postgres.datadir_init '/var/lib/pgsql/data'"],
    run: async (ctx, wanted) => {
      if (isDataFolder(wanted.name)) {
        ctx.log.info(`${wanted.name} already exists`);
        return false;
      }
      return noted(ctx, await initialize(ctx, wanted)).retcode === 0;
    },
  }),
  datadir_exists: defineFunction({
    doc: 'Returns whether a folder of data has been made.',
    params: { name: param.text({ doc: 'The folder.' }) },
    returns: 'true or false',
    examples: ["salt '*' postgres.datadir_exists '/var/lib/pgsql/data'"],
    run: (_ctx, { name }) => isDataFolder(name),
  }),
};

const CLUSTER = {
  version: param.text({ doc: 'The version: 15.' }),
  name: param.text({ default: 'main', doc: 'The cluster.' }),
} as const;
const CLUSTER_WORDS = { dashes: ['locale', 'encoding', 'datadir', 'port', 'wal_segsize'] } as const;

/** What `pg_lsclusters` prints, by version and name. */
function clustersIn(text: string): Dict {
  return new Map(
    splitLines(text).flatMap((line): [Value, Value][] => {
      const [version, name, port, status, user, datadir, log] = line.trim().split(/\s+/);
      return log === undefined
        ? []
        : [[`${version}/${name}`, dict({ port: Number(port), status, user, datadir, log })]];
    }),
  );
}

async function clusters(ctx: ModuleContext): Promise<Dict> {
  const ended = await runAll(ctx, [findProgram('pg_lsclusters') ?? 'pg_lsclusters', '--no-header']);
  if (ended.retcode !== 0) ctx.log.error('Error listing clusters');
  return clustersIn(ended.stdout);
}

const endedDict = ({ pid, retcode, stdout, stderr }: Ended): Dict => dict({ pid, retcode, stdout, stderr });

/** The functions of Debian's tools. */
export const clusterFunctions = {
  cluster_create: defineFunction({
    doc: 'Makes a cluster (Debian).',
    words: CLUSTER_WORDS,
    params: {
      ...CLUSTER,
      port: param.textIfGiven({ default: null, type: 'int', doc: 'Its port.' }),
      locale: param.textIfGiven({ default: null, doc: 'Its locale.' }),
      encoding: param.textIfGiven({ default: null, doc: 'Its encoding.' }),
      datadir: param.textIfGiven({ default: null, doc: 'Its folder.' }),
      allow_group_access: param.flag({ default: null, doc: 'The group of the owner may read its files.' }),
      data_checksums: param.flag({ default: null, doc: 'Pages have checksums.' }),
      wal_segsize: param.textIfGiven({ default: null, doc: 'The size of a piece of its log, in megabytes.' }),
    },
    returns: 'mapping with pid, retcode, stdout and stderr; false when it failed',
    examples: ["salt '*' postgres.cluster_create '15' 'main'"],
    run: async (ctx, { version, name, port, locale, encoding, datadir, ...rest }) => {
      const pair = (word: string, value: string | undefined): string[] =>
        value === undefined ? [] : [word, value];
      const further = [
        ...(rest.allow_group_access ? ['--allow-group-access'] : []),
        ...(rest.data_checksums ? ['--data-checksums'] : []),
        ...pair('--wal-segsize', rest.wal_segsize),
      ];
      const ended = await runAll(ctx, [
        findProgram('pg_createcluster') ?? 'pg_createcluster',
        ...[...pair('--port', port), ...pair('--locale', locale), ...pair('--encoding', encoding)],
        ...[...pair('--datadir', datadir), version, name],
        ...(further.length === 0 ? [] : ['--', ...further]),
      ]);
      if (noted(ctx, ended).retcode === 0) return endedDict(ended);
      ctx.log.error(`Error creating a Postgresql cluster ${version}/${name}`);
      return false;
    },
  }),
  cluster_list: defineFunction({
    doc: 'Lists the clusters (Debian).',
    params: { verbose: param.flag({ default: false, doc: 'With port, status, owner, folder and log.' }) },
    returns: 'list of version/name; with `verbose` a mapping',
    examples: ["salt '*' postgres.cluster_list", "salt '*' postgres.cluster_list verbose=True"],
    run: async (ctx, { verbose }) => {
      const found = await clusters(ctx);
      return verbose ? found : [...found.keys()];
    },
  }),
  cluster_exists: defineFunction({
    doc: 'Returns whether there is a cluster (Debian).',
    params: CLUSTER,
    returns: 'true or false',
    examples: ["salt '*' postgres.cluster_exists '15' 'main'"],
    run: async (ctx, { version, name }) => (await clusters(ctx)).has(`${version}/${name}`),
  }),
  cluster_remove: defineFunction({
    doc: 'Removes a cluster (Debian).',
    words: CLUSTER_WORDS,
    params: { ...CLUSTER, stop: param.flag({ default: false, doc: 'Stop it before.' }) },
    returns: 'mapping with pid, retcode, stdout and stderr, and changes when it is removed',
    examples: ["salt '*' postgres.cluster_remove '15' 'main' stop=True"],
    run: async (ctx, { version, name, stop }) => {
      const program = findProgram('pg_dropcluster') ?? 'pg_dropcluster';
      const ended = await runAll(ctx, [program, ...(stop ? ['--stop'] : []), version, name]);
      if (noted(ctx, ended).retcode === 0)
        return endedDict(ended).set('changes', `Successfully removed cluster ${version}/${name}`);
      ctx.log.error(`Error removing a Postgresql cluster ${version}/${name}`);
      return endedDict(ended);
    },
  }),
};
