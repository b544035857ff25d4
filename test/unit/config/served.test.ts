import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { furtherOption } from '../../../src/config/further-options.ts';
import { loadMasterConfig, loadMinionConfig } from '../../../src/config/load.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import type { OptionSpec, OptionTable } from '../../../src/config/option.ts';
import type { Program } from '../../../src/config/unserved.ts';
import { UnservedOptionError } from '../../../src/errors/errors.ts';
import { createLogger } from '../../../src/host/log.ts';

const root = process.env['BRINE_ROOT'] ?? '.';
const folder = mkdtempSync(join(tmpdir(), 'brine-served-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const isTable = (path: string): boolean =>
  /^src\/config\/(master|minion|shared|unserved|further)-options\.ts$/.test(path) ||
  path === 'src/config/type-check.ts' ||
  path.startsWith('src/cli/options/') ||
  path === 'src/cli/completion.ts';

function sources(below: string): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return path.endsWith('.ts') && !isTable(path) ? [path] : [];
  });
}

const text = sources('src')
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

/** Options that are read under a name that is put together, each with the place. */
const READ_OTHERWISE: ReadonlyMap<string, RegExp> = new Map([
  ['disable_returners', /disable_returners/],
  ['unserved_options', /'unserved_options'/],
  // a name with a dot
  ['keys.cache_driver', /'keys\.cache_driver'/],
]);

/** Options that are read all the same, but not for what they are not served for. */
const READ_FOR_ANOTHER: Readonly<Record<string, readonly string[]>> = {
  master: [],
  minion: [],
};

const tables: readonly (readonly [string, OptionTable])[] = [
  ['master', masterOptions],
  ['minion', minionOptions],
];

for (const [name, table] of tables) {
  test(`options - every option of the ${name}'s table that counts as served is read`, () => {
    const unread = Object.entries(table)
      .filter(([, spec]) => spec.unserved === undefined)
      .map(([option]) => option)
      .filter((option) => !isRead(option));
    assert.deepEqual(unread, []);
  });

  test(`options - what the ${name}'s table says is not served is read nowhere`, () => {
    const read = Object.entries(table)
      .filter(([, spec]) => spec.unserved !== undefined)
      .map(([option]) => option)
      .filter((option) => text.includes(`opts.get('${option}')`) || text.includes(`opts.raw('${option}')`));
    assert.deepEqual(read.sort(), READ_FOR_ANOTHER[name]);
  });
}

/** Every name that stands as an argument, in a list or after a comparison; not as a key of a mapping. */
const NAMES = new Set([...text.matchAll(/[([,:?|&=]\s*['`](\w+)['`]/g)].map(([, name]) => name));

function isRead(option: string): boolean {
  return (
    READ_OTHERWISE.get(option)?.test(text) ??
    (NAMES.has(option) || isReadAsArgument(option) || isReadOfRemotes(option))
  );
}

/** Options that are declared like parameters arrive under their names. */
const isReadAsArgument = (option: string): boolean => new RegExp(`\\bgiven\\.${option}\\b`).test(text);

/** Options of remote repositories are read by the part behind the kind of remote. */
function isReadOfRemotes(option: string): boolean {
  const [, name] = /^(?:gitfs|git_pillar|hgfs|svnfs)_(\w+)$/.exec(option) ?? [];
  return (
    name !== undefined &&
    new RegExp(
      `(?:value|text|flag|texts|folder|relativeFolder|placeOf)\\((?:saltenv, |options, )?'${name}'`,
    ).test(text)
  );
}

interface Told {
  readonly lines: readonly string[];
  readonly refused: boolean;
}

/** Starts a program, as far as its configuration goes. */
function start(program: Program, config: unknown): Told {
  const role = program === 'salt-minion' || program === 'salt-call' ? 'minion' : 'master';
  // JSON is YAML
  writeFileSync(join(folder, role), typeof config === 'string' ? config : JSON.stringify(config));
  const lines: string[] = [];
  const log = createLogger('config', [{ level: 30, write: ({ message }) => void lines.push(message) }]);
  const input = { configDir: folder, env: {}, log, program };
  try {
    if (role === 'master') loadMasterConfig(input);
    else loadMinionConfig(input);
    return { lines, refused: false };
  } catch (error) {
    if (!(error instanceof UnservedOptionError)) throw error;
    assert.equal(error.exitCode, 78);
    return { lines: [...lines, error.message], refused: true };
  }
}

test('options - a program that is given what it does not serve says so in one line', () => {
  const { lines, refused } = start('salt-master', {
    zmq_monitor: true,
    mysql: { host: 'x' },
  });
  assert.equal(refused, false);
  assert.equal(lines.length, 1);
  assert.match(lines[0] as string, /zmq_monitor \(/);
  assert.doesNotMatch(lines[0] as string, /mysql/);
});

test("options - values equal to Salt's defaults are passed over", () => {
  const same = {
    reactor: [],
    fileserver_backend: ['roots'],
    gitfs_base: 'master',
    thorium_interval: 0.5,
    master_tops: {},
  };
  assert.deepEqual(start('salt-master', same), { lines: [], refused: false });
});

test('options - what would be missed stops master, salt-run and a minion that compiles by itself', () => {
  const asked = {
    fileserver_backend: ['cvs', 'roots'],
  };
  for (const program of ['salt-master', 'salt-run'] as const) {
    const { lines, refused } = start(program, asked);
    assert.equal(refused, true);
    for (const name of Object.keys(asked)) assert.match(lines.join('\n'), new RegExp(`^  ${name}: `, 'm'));
  }
  assert.equal(start('salt-minion', { ...asked, file_client: 'local' }).refused, true);
  assert.deepEqual(start('salt-minion', asked), { lines: [], refused: false });
  for (const program of ['salt', 'salt-key', 'salt-cp', 'salt-syndic'] as const)
    assert.deepEqual(start(program, { ...asked, reactor: ['x'] }), { lines: [], refused: false });
});

test('options - other things that stop', () => {
  for (const asked of [
    { cluster_id: 'c' },
    { fileserver_backend: ['cvsfs'] },
    { key_pass: 'sdb://store/key' },
  ])
    assert.equal(start('salt-master', asked).refused, true, JSON.stringify(asked));
});

test('options - a cluster of Salt 3007 stops a master, unless it is a member of one of ours: then its name counts', () => {
  const salts = { cluster_id: 'c', cluster_peers: ['m2'], cluster_pki_dir: '/srv/pki' };
  assert.equal(start('salt-master', salts).refused, true);
  const { lines, refused } = start('salt-master', { ...salts, cluster: { nats: ['nats://n1:4222'] } });
  assert.equal(refused, false);
  assert.match(lines.join(), /cluster_peers \(the members .* share through NATS.*cluster_pki_dir \(/);
  assert.doesNotMatch(lines.join(), /cluster_id/);
});

test('options - drivers of the cache that are none are refused by name, and nothing to a minion', () => {
  for (const [asked, why] of [
    [
      { cache: 'localsf' },
      /^ {2}cache: there is no driver localsf; there are localfs, .*mysql\. Did you mean 'localfs'\?/m,
    ],
    [
      { cache: 'redis', cluster: { id: 'x' } },
      /cache: the masters of a cluster tell each other .*, and redis would be a second way/,
    ],
  ] as const) {
    const { lines, refused } = start('salt-master', asked);
    assert.equal(refused, true, asked.cache);
    assert.match(lines.join('\n'), why);
  }
  for (const cache of ['localfs', 'redis', 'consul', 'etcd', 'mysql'])
    assert.deepEqual(start('salt-master', { cache, 'cache.redis.host': 'x' }), { lines: [], refused: false });
  assert.match(
    start('salt-minion', { cache: 'redis' }).lines.join(),
    /cache \(a minion keeps what it remembers in files/,
  );
});

test('options - unserved_options lets a program start without them, with a warning', () => {
  for (const accepted of [['cluster_id'], 'warn']) {
    const { lines, refused } = start('salt-master', {
      cluster_id: 'c',
      unserved_options: accepted,
    });
    assert.equal(refused, false);
    assert.match(lines.join('\n'), /cluster_id \(/);
  }
});

test('options - one that nobody knows is named with the one that may have been meant', () => {
  const { lines } = start('salt-minion', {
    fiel_client: 'local',
    site: { a: 1 },
    unserved_options: ['site'],
  });
  assert.match(lines.join('\n'), /nobody knows: fiel_client \(Did you mean 'file_client'\?\)/);
  assert.doesNotMatch(lines.join('\n'), /site/);
});

test('options - those of an alternative configuration of a returner are known', () => {
  const { lines } = start('salt-minion', {
    'alternative.redis.host': 'db1',
    'alternative.rediz.host': 'db1',
  });
  assert.match(lines.join('\n'), /nobody knows: alternative\.rediz\.host/);
  assert.doesNotMatch(lines.join('\n'), /redis\.host/);
});

test('options - a setting of a returner, module, cache or login that nobody reads is named with the one that may have been meant', () => {
  for (const [asked, said] of [
    [{ 'smtp.frm': 'x' }, "smtp.frm (Did you mean 'smtp.from'?)"],
    [{ 'redis.hots': 'x' }, "redis.hots (Did you mean 'redis.host'?)"],
    [{ redis: { hots: 'x', port: 1 } }, "redis:hots (Did you mean 'redis:host'?)"],
    [{ 'postgres.usr': 'x' }, "postgres.usr (Did you mean 'postgres.user'?)"],
    [{ 'returner.postgres.usr': 'x' }, "returner.postgres.usr (Did you mean 'returner.postgres.user'?)"],
    // what is right elsewhere: the options of these returners begin with another name than theirs
    [{ 'postgres.sslmode': 'x' }, "postgres.sslmode (Did you mean 'returner.postgres.sslmode'?)"],
    [{ 'pgjsonb.host': 'x' }, "pgjsonb.host (Did you mean 'returner.pgjsonb.host'?)"],
    [{ mariadb: { host: 'x' } }, "mariadb:host (Did you mean 'mysql:host'?)"],
    [{ 'mariadb.engine': 'x' }, 'mariadb.engine (The options of the returner mariadb begin with mysql.)'],
    [{ 'alternative.mysql.hostt': 'x' }, "alternative.mysql.hostt (Did you mean 'alternative.mysql.host'?)"],
    [
      { 'alternative.redis': { hots: 'x' } },
      "alternative.redis:hots (Did you mean 'alternative.redis:host'?)",
    ],
    [{ 'cache.redis.key_prefx': 'x' }, "cache.redis.key_prefx (Did you mean 'cache.redis.key_prefix'?)"],
    [{ 'auth.ldap.bindpwd': 'x' }, "auth.ldap.bindpwd (Did you mean 'auth.ldap.bindpw'?)"],
    [{ 'queue.pgjsonb.db': 'x' }, 'queue.pgjsonb.db'],
    [{ mysql_auth: { hostnam: 'x' } }, "mysql_auth:hostnam (Did you mean 'mysql_auth:hostname'?)"],
  ] as const)
    assert.ok(
      start('salt-master', asked).lines.join('\n').includes(`nobody knows: ${said}`),
      `${JSON.stringify(asked)}: ${start('salt-master', asked).lines.join('\n')}`,
    );
});

test('options - settings of returners and modules that are read are not, nor those that a site calls its own', () => {
  for (const asked of [
    { 'mysql.host': 'x', 'mysql.default_file': 'x', 'mysql.table_name': 'x', mysql: { user: 'x', ssl: {} } },
    { 'redis.cluster.startup_nodes': [], 'redis_sentinel.host': 'x', 'mongodb.host': 'x' },
    { 'alternative.redis': { host: 'x' }, 'alternative.returner.pgjsonb.host': 'x' },
    { postgres: { user: 'x', db: 'x' }, 'postgres.bins_dir': 'x', 'slack.hook': 'x' },
    { sqlite3: { driver: 'sqlite3', table: 'x' }, smtp: { 'smtp.server': 'x' } },
    { 'smtp.frm': 'x', mysql: { pool: 1 }, unserved_options: ['smtp.frm', 'mysql'] },
    { redis: { pool: 1, size: 1 }, unserved_options: ['redis:pool', 'redis:size'] },
  ])
    assert.deepEqual(start('salt-master', asked).lines, [], JSON.stringify(asked));
});

test('options - one of the other program is said, but for the publish port, which a minion obeys', () => {
  const { lines } = start('salt-minion', { publish_port: 14505, worker_threads: 9 });
  assert.match(lines.join('\n'), /worker_threads \(it belongs into the configuration of the other program\)/);
  assert.doesNotMatch(lines.join('\n'), /publish_port/);
});

test('options - salt-run and salt-call say only what concerns them', () => {
  assert.deepEqual(start('salt-run', { reactor: ['x'], nonsense_of_mine: 1 }).lines, []);
  assert.deepEqual(start('salt-call', { engines: ['x'] }).lines, []);
});

test('options - a name that an option does not know is said, with what happens instead and what there is', () => {
  for (const [program, asked, said] of [
    ['salt-master', { ipc_mode: 'tpc' }, /ipc_mode \(there is no 'tpc': ipc is used; there are ipc, tcp\)/],
    [
      'salt-master',
      { renderer: 'jinja|yaml|pgp' },
      /renderer \(without a custom renderer pgp every file fails/,
    ],
    ['salt-run', { renderer: 'pgp' }, /renderer \(without a custom renderer pgp/],
    ['salt-master', { pillar_source_merging_strategy: 'x' }, /there is no 'x': recurse is used/],
    ['salt-master', { pillar_cache_backend: 'redis' }, /there is no 'redis': disk is used/],
    ['salt-minion', { renderer: 'jinja | maco' }, /without a custom renderer maco/],
    ['salt-minion', { hash_type: 'blake2' }, /there is no 'blake2': whatever needs a checksum fails/],
    ['salt-minion', { file_client: 'locale' }, /there is no 'locale': remote is used/],
    ['salt-minion', { backup_mode: 'yes' }, /there is no 'yes': no backups are made/],
  ] as const)
    assert.match(start(program, asked).lines.join('\n'), said, JSON.stringify(asked));
  for (const asked of [
    { ipc_mode: 'tcp', renderer: 'jinja|json', hash_type: 'md5', state_output: 'changes_id' },
    { renderer: 'yaml_jinja', top_file_merging_strategy: 'same', transports: {} },
    { renderer: 'jinja|yaml|gpg' },
  ])
    assert.deepEqual(
      start('salt-master', asked).lines.filter((line) => !/transports/.test(line)),
      [],
    );
});

const samples = JSON.parse(readFileSync(join(root, 'test/fixtures/config/samples.json'), 'utf8')) as Readonly<
  Record<'master' | 'minion' | 'proxy', Readonly<Record<string, unknown>>>
>;

/** Other values than the default, for options whose sample is the default. */
function otherValue(spec: OptionSpec | undefined, sample: unknown): unknown {
  const standard = plain(spec?.default ?? null);
  if (
    spec === undefined ||
    (JSON.stringify(sample) !== JSON.stringify(standard) && String(sample) !== standard)
  )
    return sample;
  if (typeof sample === 'boolean') return !sample;
  if (typeof sample === 'number') return sample + 1;
  if (Array.isArray(sample)) return ['sample'];
  return spec.kind === 'dict' ? { sample: 'x' } : 'sample';
}

function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

for (const [file, role] of [
  ['master', 'master'],
  ['minion', 'minion'],
  ['proxy', 'minion'],
] as const) {
  test(`options - each option of Salt's sample file "${file}" is served, warned about or refused; none is silent`, () => {
    const table: OptionTable = role === 'master' ? masterOptions : minionOptions;
    const otherTable: OptionTable = role === 'master' ? minionOptions : masterOptions;
    const silent: string[] = [];
    for (const [name, sample] of Object.entries(samples[file])) {
      const spec = Object.hasOwn(table, name) ? table[name] : undefined;
      if (spec !== undefined && spec.unserved === undefined) {
        assert.ok(isRead(name), `${name} counts as served and is not read`);
        continue;
      }
      if (
        spec === undefined &&
        furtherOption(name) !== undefined &&
        furtherOption(name)?.unserved === undefined
      )
        continue;
      const { lines } = start(`salt-${role}`, {
        [name]: otherValue(spec ?? otherTable[name], sample),
        ...(role === 'minion' ? { file_client: 'local' } : {}),
      });
      if (!lines.some((line) => line.includes(name))) silent.push(name);
    }
    assert.deepEqual(silent, []);
  });
}

test('options - each option of the command line is read, or says that it is not served', async () => {
  const { allPrograms } = await import('../../../src/cli/options/programs.ts');
  const { allOptions } = await import('../../../src/cli/command-line/optparse.ts');
  const silent = allPrograms.flatMap((program) =>
    allOptions(program)
      .filter(({ unserved, dest }) => unserved === undefined && !isReadOfLine(dest))
      .map(({ dest }) => `${program.name} ${dest}`),
  );
  assert.deepEqual(silent, []);
});

/**
 * Actions of salt-key on all keys (`accept_all`) and kinds of keys (`include_rejected`) are names that are put
 * together.
 */
function isReadOfLine(dest: string): boolean {
  return isRead(dest) || /^(?:accept|reject|list|print|finger|delete)_all$|^include_/.test(dest);
}
