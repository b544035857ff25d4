import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ConfigHost } from '../../../src/config/host-names.ts';
import {
  configDirOf,
  loadClientConfig,
  loadMasterConfig,
  loadMinionConfig,
  missingConfigDirWarning,
} from '../../../src/config/load.ts';
import { ConfigError } from '../../../src/errors/errors.ts';
import { createLogger, type LogRecord, type Logger } from '../../../src/host/log.ts';
import { PyFloat, dict, type Value } from '../../../src/python/values/value.ts';

const fixture = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/config/loads.json');
const recordings = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly role: 'master' | 'minion';
  readonly files: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly filesAfter: readonly string[];
}[];

const host: ConfigHost = {
  hostname: () => 'Box',
  fullName: () => 'Box.Example.COM',
  addresses: () => ['192.0.2.7'],
  readText: () => undefined,
  userName: () => 'root',
};

/** The machine the recordings come from. */
const recordingHost: ConfigHost = { ...host, hostname: () => 'vm', fullName: () => 'vm' };

function folder(t: TestContext, files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'brine-config-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text.replaceAll('$DIR', dir));
  }
  return dir;
}

function recorder(): { log: Logger; records: LogRecord[]; warnings: () => string[] } {
  const records: LogRecord[] = [];
  const log = createLogger('test', [{ level: 30, write: (record) => records.push(record) }]);
  return { log, records, warnings: () => records.map((record) => record.message) };
}

/** Values as the recordings write them; whether a number is a float does not matter to an option. */
function tagged(value: Value): unknown {
  if (value instanceof PyFloat) return { i: String(value.value) };
  if (typeof value === 'number' || typeof value === 'bigint') return { i: String(value) };
  if (Array.isArray(value)) return ['l', ...value.map(tagged)];
  if (value instanceof Map) return ['m', ...[...value].map(([key, item]) => [tagged(key), tagged(item)])];
  return value;
}

for (const [index, recording] of recordings.entries()) {
  test(`config load - recording ${index} (${recording.role}) gives what real Salt makes of it`, (t) => {
    const dir = folder(t, recording.files);
    const { log, warnings } = recorder();
    const load = recording.role === 'master' ? loadMasterConfig : loadMinionConfig;
    const options = load({ configDir: dir, env: { HOME: dir }, log, host: recordingHost });
    const restored = JSON.parse(JSON.stringify(recording).replaceAll('$DIR', dir)) as typeof recording;
    for (const [key, expected] of Object.entries(restored.options ?? {})) {
      assert.deepEqual(tagged(options.toDict().get(key) ?? null), expected, key);
    }
    assert.deepEqual([...new Set(warnings())].sort(), restored.warnings);
    const files = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
    assert.deepEqual(files.sort(), restored.filesAfter);
  });
}

test('config load - a wrong type is reported and the default holds', (t) => {
  const dir = folder(t, { master: 'id: m\npublish_port: abc\ntimeout: [1]\nuser: 0\nret_port: "4507"\n' });
  const { log, warnings } = recorder();
  const options = loadMasterConfig({ configDir: dir, env: {}, log, host });
  assert.equal(options.get('publish_port'), 4505);
  assert.equal(options.get('timeout'), 5);
  assert.equal(options.get('ret_port'), 4507);
  assert.equal(options.get('user'), '0');
  assert.deepEqual(warnings(), [
    "Config option 'publish_port' with value abc has an invalid type of str, a int is required for this option",
    "Config option 'timeout' with value [1] has an invalid type of list, a float is required for this option",
  ]);
});

test('config load - a program that starts says what is used in place of a wrong value, and refuses a port that is none', (t) => {
  const read = (text: string, role: 'master' | 'minion' = 'master'): readonly string[] => {
    const dir = folder(t, { [role]: text });
    const { log, warnings } = recorder();
    const input = { configDir: dir, env: {}, log, host };
    try {
      if (role === 'master') loadMasterConfig({ ...input, program: 'salt-master' });
      else loadMinionConfig({ ...input, program: 'salt-minion' });
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      assert.notEqual(error.exitCode, 0);
      return [error.message.replaceAll(dir, 'DIR')];
    }
    return warnings().map((text) => text.replaceAll(dir, 'DIR'));
  };
  const none = (file: string, value: string, usual: number): string =>
    `${file} is ${value}, which is no port. Write a number from 1 to 65535, or remove the option, which then means ${usual}.`;
  assert.deepEqual(read('publish_port: abc'), [none('publish_port in DIR/master', 'abc', 4505)]);
  assert.deepEqual(read('publish_port:'), [none('publish_port in DIR/master', 'None', 4505)]);
  assert.deepEqual(read('ret_port: 70000'), [none('ret_port in DIR/master', '70000', 4506)]);
  assert.deepEqual(read('ret_port: 0'), [none('ret_port in DIR/master', '0', 4506)]);
  assert.deepEqual(read('tcp_master_pub_port: true'), [
    none('tcp_master_pub_port in DIR/master', 'True', 4512),
  ]);
  assert.deepEqual(read('syndic_master_port: abc'), [
    'syndic_master_port in DIR/master is abc, which is no port. Write a number from 1 to 65535, or remove the option.',
  ]);
  assert.deepEqual(read('syndic_master_port:'), []);
  assert.deepEqual(read('id: m\nmaster_port: abc', 'minion'), [
    none('master_port in DIR/minion', 'abc', 4506),
  ]);
  assert.deepEqual(read('id: m\nmaster_port: "4507"\nsource_ret_port: 0', 'minion'), []);
  assert.deepEqual(read('timeout: abc'), [
    "Config option 'timeout' with value abc has an invalid type of str, a float is required for this option. " +
      'In DIR/master; 5 is used. Correct it, or remove it',
  ]);
});

test('config load - errors name the file, the line and what is wrong', (t) => {
  const dir = folder(t, { master: 'a: 1\nb: 2\na: 3\n', minion: 'plain text' });
  const at = (load: () => unknown): ConfigError => {
    try {
      load();
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.exitCode, 1);
      return error;
    }
    throw new Error('no error');
  };
  assert.equal(
    at(() => loadMasterConfig({ configDir: dir, env: {}, host })).message,
    `Error parsing configuration file: ${dir}/master - line 3: found conflicting ID 'a'`,
  );
  assert.equal(
    at(() => loadMinionConfig({ configDir: dir, env: {}, host })).message,
    `Error parsing configuration file: ${dir}/minion - conf should be a document, not <class 'str'>.`,
  );
});

test('config load - a broken included file is skipped, or ends loading where that is asked for', (t) => {
  const dir = folder(t, {
    minion: 'id: x\n',
    'minion.d/a.conf': 'a: a: a\n',
    'minion.d/b.conf': 'master: z\n',
  });
  const { log, warnings } = recorder();
  assert.equal(loadMinionConfig({ configDir: dir, env: {}, log, host }).get('master'), 'z');
  const message = `Error parsing configuration file: ${dir}/minion.d/a.conf - line 1: mapping values are not allowed in this context`;
  assert.deepEqual(warnings(), [message]);
  assert.throws(() => loadMinionConfig({ configDir: dir, env: {}, host, strictIncludes: true }), { message });
});

test('config load - a broken _schedule.conf is moved aside', (t) => {
  const dir = folder(t, { minion: 'id: x\n', 'minion.d/_schedule.conf': 'a: [' });
  loadMinionConfig({ configDir: dir, env: {}, host, strictIncludes: true });
  assert.deepEqual(readdirSync(join(dir, 'minion.d')), ['_schedule.confYAMLError']);
});

test('config load - files that include each other end', (t) => {
  const dir = folder(t, { master: 'id: x\ninclude: a.conf\n', 'a.conf': 'include: a.conf\n' });
  assert.throws(() => loadMasterConfig({ configDir: dir, env: {}, host }), /include each other without end/);
});

test('config load - the folder comes from -c, then the environment, then /etc/salt', (t) => {
  const dir = folder(t, { master: 'id: m\n' });
  assert.equal(configDirOf({ configDir: '~/x', env: { HOME: '/h', SALT_CONFIG_DIR: dir } }), '/h/x');
  assert.equal(configDirOf({ env: { SALT_CONFIG_DIR: dir } }), dir);
  assert.equal(configDirOf({ env: {} }), '/etc/salt');
  const file = join(dir, 'a-file');
  writeFileSync(file, '');
  assert.throws(() => configDirOf({ configDir: file, env: {} }), {
    name: 'ConfigError',
    message: `${file} is a file, and -c takes the folder that it is in: -c ${dir}`,
  });
  assert.equal(missingConfigDirWarning(dir), undefined);
  assert.equal(missingConfigDirWarning('/no/such'), "WARNING: CONFIG '/no/such' directory does not exist.");
  const options = loadMasterConfig({ env: { SALT_CONFIG_DIR: dir }, host });
  assert.equal(options.raw('config_dir'), dir);
  assert.equal(options.get('conf_file'), join(dir, 'master'));
});

test('config load - SALT_MASTER_CONFIG names a file but does not beat -c', (t) => {
  const dir = folder(t, { master: 'id: folder\n', other: 'id: file\n' });
  const env = { SALT_MASTER_CONFIG: join(dir, 'other') };
  assert.equal(loadMasterConfig({ env, host }).get('id'), 'file');
  assert.equal(loadMasterConfig({ configDir: dir, env, host }).get('id'), 'folder');
});

test('config load - overrides win over files and are checked and normalised too', (t) => {
  const dir = folder(t, { master: `root_dir: ${'$DIR'}/root\nid: a\nuser: b\n` });
  const overrides = dict({ id: 'z', pki_dir: 'keys' });
  const options = loadMasterConfig({ configDir: dir, env: {}, host, overrides });
  assert.equal(options.get('id'), 'z');
  assert.equal(options.get('pki_dir'), join(dir, 'root/keys'));
  assert.equal(options.get('user'), 'b');
});

test('config load - loading twice does not share lists', (t) => {
  const dir = folder(t, { master: 'id: a\n' });
  const first = loadMasterConfig({ configDir: dir, env: {}, host });
  first.get('engines').push('x');
  assert.deepEqual(loadMasterConfig({ configDir: dir, env: {}, host }).get('engines'), []);
});

test('config load - the name of the host makes the ids', (t) => {
  const dir = folder(t, {});
  const root = dict({ root_dir: dir, minion_id_lowercase: true });
  assert.equal(
    loadMasterConfig({ configDir: dir, env: {}, host, overrides: dict({ root_dir: dir }) }).get('id'),
    'Box.Example.COM_master',
  );
  assert.equal(
    loadMinionConfig({ configDir: dir, env: {}, host, overrides: root, cacheId: true }).get('id'),
    'box.example.com',
  );
  assert.equal(readFileSync(join(dir, 'etc/salt/minion_id'), 'utf8'), 'box.example.com');
  assert.equal(
    loadMasterConfig({ configDir: dir, env: {}, host, overrides: dict({ root_dir: dir }) }).get('id'),
    'box.example.com_master',
  );
});

test('config load - an invalid id stops a minion', (t) => {
  const dir = folder(t, { minion: 'id: a/b\n' });
  assert.throws(() => loadMinionConfig({ configDir: dir, env: {}, host }), ConfigError);
});

test('config load - ~/.saltrc is merged over the master for commands', (t) => {
  const dir = folder(t, {
    'etc/master': 'id: m\ntimeout: 7\nkeep_jobs: 3\n',
    'home/.saltrc': 'timeout: 9\ntoken_file: ~/t\n',
    'xdg/salt/saltrc': 'timeout: 11\n',
    special: 'timeout: 13\n',
  });
  const load = (env: Record<string, string>) =>
    loadClientConfig({ configDir: join(dir, 'etc'), env: { HOME: join(dir, 'home'), ...env }, host });
  const own = load({});
  assert.equal(own.get('timeout'), 9);
  assert.equal(own.get('keep_jobs'), 3);
  assert.equal(own.get('token_file'), join(dir, 'home/t'));
  assert.equal(own.get('interface'), '127.0.0.1');
  assert.equal(own.raw('master_uri'), 'tcp://127.0.0.1:4506');
  assert.equal(own.get('conf_file'), join(dir, 'etc/master'));
  const xdg = load({ XDG_CONFIG_HOME: join(dir, 'xdg') });
  assert.equal(xdg.get('timeout'), 11);
  assert.equal(xdg.get('token_file'), join(dir, 'xdg/salt/salt_token'));
  assert.equal(load({ SALT_CLIENT_CONFIG: join(dir, 'special') }).get('timeout'), 13);
});
