import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { furtherOption } from '../../../src/config/further-options.ts';
import { loadMasterConfig, loadMinionConfig } from '../../../src/config/load.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import type { Options, OptionTable } from '../../../src/config/option.ts';
import { ConfigError, UnservedOptionError } from '../../../src/errors/errors.ts';
import { createLogger } from '../../../src/host/log.ts';
import { isDict, type Value } from '../../../src/python/values/value.ts';

type Role = 'master' | 'minion';

interface Recorded {
  readonly roles: readonly Role[];
  readonly default?: unknown;
  /** Another value than the default. */
  readonly other: unknown;
}

const folder = mkdtempSync(join(tmpdir(), 'brine-3008-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const recorded = JSON.parse(
  readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/config/options-3008.json'), 'utf8'),
) as Readonly<Record<'tables' | 'later' | 'read', Readonly<Record<string, Recorded>>>>;
const all: readonly (readonly [string, Recorded])[] = [
  ...Object.entries(recorded.tables),
  ...Object.entries(recorded.later),
];
const tables: Readonly<Record<Role, OptionTable>> = { master: masterOptions, minion: minionOptions };

interface Started {
  readonly lines: readonly string[];
  readonly isRefused: boolean;
  readonly opts: Options | undefined;
}

function start(role: Role, config: Readonly<Record<string, unknown>>): Started {
  // JSON is YAML
  writeFileSync(join(folder, role), JSON.stringify(config));
  const lines: string[] = [];
  const log = createLogger('config', [{ level: 30, write: ({ message }) => void lines.push(message) }]);
  const input = { configDir: folder, env: {}, log, program: `salt-${role}` } as const;
  try {
    const opts = role === 'master' ? loadMasterConfig(input) : loadMinionConfig(input);
    return { lines, isRefused: false, opts };
  } catch (error) {
    if (!(error instanceof UnservedOptionError || error instanceof ConfigError)) throw error;
    return { lines: [...lines, error.message], isRefused: true, opts: undefined };
  }
}

function plain(value: Value): unknown {
  return isDict(value) ? Object.fromEntries(value) : value;
}

test('options of 3008 - each that an earlier Salt does not have is in the tables, with its default', () => {
  for (const [name, { roles, default: usual }] of all)
    for (const role of roles) {
      const spec = tables[role][name];
      assert.ok(spec, `${role} ${name}`);
      if (usual !== undefined) assert.deepEqual(plain(spec.default), usual, `${role} ${name}`);
    }
});

test('options of 3008 - each is served, warned about or refused; none is silent, and none is one that nobody knows', () => {
  const silent: string[] = [];
  for (const [name, { roles, other }] of [...all, ...Object.entries(recorded.read)])
    for (const role of roles) {
      const spec = tables[role][name] ?? furtherOption(name);
      assert.ok(spec, `${role} ${name}`);
      const { lines } = start(role, { [name]: other });
      const said = lines.filter((line) => line.includes(name));
      if (said.some((line) => line.includes('nobody knows'))) silent.push(`${role} ${name}: unknown`);
      if (spec.unserved !== undefined && said.length === 0) silent.push(`${role} ${name}`);
    }
  assert.deepEqual(silent, []);
});

test('options of 3008 - the block tracing stands for the options of traces', () => {
  const block = { enabled: true, exporter: 'otlp-http', endpoint: 'http://c:4318', headers: { a: 'b' } };
  const { opts, lines } = start('minion', { tracing: block });
  assert.deepEqual(lines, []);
  assert.equal(opts?.raw('otlp_endpoint'), 'http://c:4318');
  assert.deepEqual(opts?.raw('otlp_headers'), new Map([['a', 'b']]));
  for (const role of ['master', 'minion'] as const) {
    const usual = start(role, { tracing: { enabled: true, exporter: 'otlp-http' } });
    assert.equal(usual.opts?.raw('otlp_endpoint'), 'http://localhost:4318/v1/traces');
  }
  const own = start('master', { tracing: block, otlp_endpoint: 'http://other:4318' });
  assert.equal(own.opts?.raw('otlp_endpoint'), 'http://other:4318');
  for (const off of [
    { ...block, enabled: false },
    { ...block, sampler: 'always_off' },
  ])
    assert.equal(start('master', { tracing: off }).opts?.raw('otlp_endpoint'), '');
});

test('options of 3008 - what a block asks for and does not get is told', () => {
  for (const [block, said] of [
    [{ tracing: { enabled: true } }, /tracing \(exporter otlp-grpc: nothing is sent; .* exporter: otlp-http/],
    [
      { tracing: { enabled: true, exporter: 'otlp-http', sampler: 'trace_id_ratio', sampler_arg: 0.1 } },
      /tracing \(sampler, sampler_arg: every job is told/,
    ],
    [{ tracing: { enabled: true, exportr: 'console' } }, /no tracing:exportr; Did you mean 'exporter'\?/],
    [{ metrics: { enabled: true } }, /metrics \(exporter otlp-http: nothing is pushed; .* prometheus/],
    [{ metrics: { enabled: true, exporter: 'statsd' } }, /metrics \(exporter statsd: /],
  ] as const)
    assert.match(start('master', block).lines.join('\n'), said);
  assert.deepEqual(start('master', { tracing: { enabled: false, exporter: 'otlp-grpc' } }).lines, []);
});

test('options of 3008 - the block metrics stands for the address of the figures', () => {
  const shown = (block: object): unknown => start('master', { metrics: block }).opts?.raw('metrics_address');
  assert.equal(shown({ enabled: true, exporter: 'prometheus' }), '127.0.0.1:9464');
  const own = { enabled: true, exporter: 'prometheus', prometheus: { host: '::1', port: 9100 } };
  assert.equal(shown(own), '[::1]:9100');
  assert.equal(shown({ ...own, enabled: false }), '');
});

test('options of 3008 - pools of workers: their sum counts, and those that are none are refused with all faults', () => {
  const pools = {
    auth: { worker_count: 2, commands: ['_auth'] },
    rest: { worker_count: 4, commands: ['*'] },
  };
  assert.equal(start('master', { worker_pools: pools }).opts?.raw('worker_threads'), 6);
  assert.equal(start('master', { worker_pools: pools, worker_threads: 3 }).opts?.raw('worker_threads'), 3);
  assert.equal(
    start('master', { worker_pools: pools, worker_pools_enabled: false }).opts?.raw('worker_threads'),
    5,
  );
  const { lines, isRefused } = start('master', {
    worker_pools: {
      'a/b': { worker_count: 0, commands: ['_auth'] },
      c: { worker_count: 1, commands: ['_auth'] },
      d: { worker_count: 1 },
    },
  });
  assert.equal(isRefused, true);
  for (const said of [
    /'a\/b' is no name of a pool/,
    /worker_count of the pool 'a\/b' is 0/,
    /'_auth' is both of the pool 'a\/b' and of 'c'/,
    /pool 'd' has no list of commands/,
    /No pool has the command '\*'/,
  ])
    assert.match(lines.join('\n'), said);
  const only = { general: { worker_count: 1, commands: ['_return'] } };
  assert.equal(start('master', { worker_pools: only, worker_pool_default: 'general' }).isRefused, false);
  assert.match(
    start('master', { worker_pools: only, worker_pool_default: 'generl' }).lines.join('\n'),
    /worker_pool_default is generl, which is none of the pools/,
  );
});

test('options of 3008 - keys in a driver that there is not are refused, an index of the files is not', () => {
  assert.match(
    start('master', { 'keys.cache_driver': 'redis' }).lines.join('\n'),
    /there is no driver redis/,
  );
  const index = start('master', { 'keys.cache_driver': 'mmap_key', cache: 'mmap_cache' });
  assert.equal(index.isRefused, false);
  assert.match(index.lines.join('\n'), /keys\.cache_driver \(keys are in the files below pki_dir/);
  assert.match(index.lines.join('\n'), /cache \(what is remembered of minions is in files/);
});
