/**
 * What 3006.16 does wrong and the changelog of 3008 has mended, on ours: functions and states of modules. The page
 * docs/internals/later-releases.md lists it.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { richRuleOf } from '../../../src/plugins/firewalld/state/items.ts';
import { withRules } from '../../../src/plugins/consul/module/acl.ts';
import { isAll, isFunction, thingOf } from '../../../src/plugins/postgres/module/privileges.ts';
import { dict, type Dict } from '../../../src/python/values/value.ts';
import { localMinion } from '../../support/local-minion.ts';
import { fakeStateContext } from '../../support/state-context.ts';

test('later changes - a regular expression without groups gives what it matched', async (t) => {
  const { path, write, call } = localMinion(t);
  const lines = [
    "search: {{ 'abcd' | regex_search('b.') | tojson }}",
    "match: {{ 'abcd' | regex_match('a.') | tojson }}",
    "groups: {{ 'abcd' | regex_search('(b)(c)') | tojson }}",
    "none: {{ 'abcd' | regex_search('x') | tojson }}",
    "unmatched: {{ 'abcd' | regex_search('a(x)?') | tojson }}",
  ];
  write('words', `${lines.join('\n')}\ntruth: {% if 'web1' | regex_match('web') %}1{% endif %}\n`);
  assert.deepEqual(await call('slsutil.renderer', path('words'), '-l', 'quiet'), {
    search: ['bc'],
    match: ['ab'],
    groups: ['b', 'c'],
    none: null,
    unmatched: [null],
    truth: 1,
  });
});

test('later changes - the folders of what file.directory keeps are not announced as removed', async (t) => {
  const { path, write, call } = localMinion(t);
  write('d/sub/deep/kept', 'x');
  write('d/other/gone', 'x');
  write(
    'srv/s.sls',
    [
      `d: {file.directory: [{name: ${path('d')}}, {clean: true}, {require: [{file: f}]}]}`,
      `f: {file.managed: [{name: ${path('d/sub/deep/kept')}}, {contents: x}, {makedirs: true}]}`,
    ].join('\n'),
  );
  const removed = async (...more: string[]): Promise<unknown> => {
    const results = (await call('state.apply', 's', ...more)) as Record<string, { changes: object }>;
    const [made] = Object.entries(results).filter(([tag]) => tag.includes('|-d_|-'));
    return made?.[1].changes;
  };
  const gone = { removed: 'Removed due to clean' };
  assert.deepEqual(await removed('test=True'), { [path('d/other')]: gone, [path('d/other/gone')]: gone });
  await removed();
  assert.deepEqual([existsSync(path('d/sub/deep/kept')), existsSync(path('d/other'))], [true, false]);
});

test('later changes - status.diskusage leaves out what is gone', async (t) => {
  const { call } = localMinion(t);
  assert.deepEqual(
    Object.keys((await call('status.diskusage', '/', '/nonexistent', '-l', 'quiet')) as object),
    ['/'],
  );
});

test('later changes - a time zone is compared by its name', async (t) => {
  const { path, write } = localMinion(t);
  write('bin/timedatectl', '#!/bin/sh\necho "  Time zone: Etc/UTC (UTC, +0000)"\n');
  chmodSync(path('bin/timedatectl'), 0o755);
  const before = process.env['PATH'];
  process.env['PATH'] = `${path('bin')}:${before ?? ''}`;
  t.after(() => (process.env['PATH'] = before));
  const compared = (zone: string): Promise<unknown> =>
    fakeStateContext().functions.call('timezone.zone_compare', [zone]);
  assert.deepEqual([await compared('Etc/UTC'), await compared('Etc/Universal')], [true, false]);
  await assert.rejects(compared('Etc/Nowhere'), /Can't find a local timezone "Etc\/Nowhere"/);
});

test('later changes - a rich rule is compared as firewall-cmd prints it', () => {
  const printed = 'rule family="ipv4" source address="192.168.0.0/16" port port="22" protocol="tcp" accept';
  for (const written of [
    printed,
    'rule family=ipv4 source address=192.168.0.0/16 port port=22 protocol=tcp accept',
    "rule family='ipv4' source address='192.168.0.0/16'  port port='22' protocol=tcp accept",
  ])
    assert.equal(richRuleOf(written).key, printed);
  assert.equal(
    richRuleOf(`rule service name=ssh log prefix='it is "x" here' level=info accept`).key,
    `rule service name="ssh" log prefix="it is "x" here" level="info" accept`,
  );
  assert.equal(richRuleOf('rule log prefix="a  b" accept').key, 'rule log prefix="a  b" accept');
});

test('later changes - a repository of zypper that is as it should be is not configured again', async () => {
  const managed = async (more: Dict, now: Dict): Promise<unknown> => {
    const ctx = fakeStateContext({
      test: true,
      grains: dict({ os: 'SUSE', os_family: 'Suse' }),
      functions: { 'pkg.get_repo': now, 'pkg.mod_repo': dict() },
    });
    const words = new Map([...dict({ name: 'r', baseurl: 'http://one.example.com/r' }), ...more]);
    const result = await ctx.state.call('pkgrepo.managed', words);
    return result instanceof Map ? result.get('comment') : result;
  };
  const now = (): Dict =>
    dict({
      ...{ alias: 'r', name: 'R', enabled: true, autorefresh: true, type: 'rpm-md' },
      baseurl: 'http://one.example.com/r',
    });
  const same = "Package repo 'r' already configured";
  const words = { humanname: 'R', refresh: true, gpgautoimport: true, priority: 99, cache: false };
  assert.equal(await managed(dict(words), now()), same);
  for (const other of [
    { refresh: false },
    { priority: 10 },
    { gpgcheck: true },
    { cache: true },
    { humanname: 'S' },
  ])
    assert.match(String(await managed(dict({ ...words, ...other }), now())), /would be configured/);
});

test('later changes - gpg makes the folder of keys, and not in test mode', async (t) => {
  const { path, call } = localMinion(t);
  const home = path('keys', 'of', 'nobody');
  await call('state.single', 'gpg.present', '0123456789ABCDEF', `gnupghome=${home}`, 'test=True');
  assert.equal(existsSync(home), false);
  assert.deepEqual(await call('gpg.list_keys', `gnupghome=${home}`), []);
  assert.equal(statSync(home).mode & 0o777, 0o700);
  writeFileSync(path('file'), '');
  assert.match(String(await call('gpg.list_keys', `gnupghome=${path('file')}`)), /should be a directory/);
});

test('later changes - rules of a token of Consul may be a list', () => {
  const rules = [dict({ key: 'a/"b' }), dict({ policy: 'read' }), dict({ service: '', policy: 'write' })];
  assert.equal(
    withRules(dict({ Name: 'n', Rules: rules })).get('Rules'),
    'key "a/\\"b" {\n  policy = "read"\n}\nservice "" {\n  policy = "write"\n}\n',
  );
  assert.equal(withRules(dict({ Rules: 'key "" {}' })).get('Rules'), 'key "" {}');
});

test('later changes - all functions of a schema, and a function with or without its schema', () => {
  assert.equal(isAll(thingOf('ALL', 'function', 'public')), true);
  assert.equal(isAll(thingOf('ALL', 'schema', 'public')), false);
  assert.match(
    isFunction(thingOf('f(integer)', 'function', 's')),
    /IN \('f\(integer\)', 's\.f\(integer\)'\)/,
  );
});

test('later changes - mounts of ceph are known by their folder, since they share a device', async (t) => {
  const { path, call } = localMinion(t);
  mkdirSync(path('etc'));
  const table = path('etc', 'fstab');
  writeFileSync(table, 'user@id.cephfs=/\t\t/one\tceph\tdefaults\t0 0\n');
  const words = ['/two', 'user@id.cephfs=/', 'ceph', `config=${table}`];
  assert.equal(await call('mount.set_fstab', ...words), 'new');
  assert.equal(Object.keys((await call('mount.fstab', table)) as object).length, 2);
});
