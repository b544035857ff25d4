/**
 * What 3006.16 does wrong and a later release has mended, on ours: the page docs/internals/later-releases.md lists it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { sanitizeHost } from '../../../src/plugins/network/module/probes.ts';
import { networkDifferences } from '../../../src/plugins/docker/module/compare-networks.ts';
import { addKey } from '../../../src/plugins/pkg/apt/module/apt-keys.ts';
import { resolvedName } from '../../../src/plugins/pkg/yum/module/rpm.ts';
import {
  everythingOf,
  isGranted,
  shownGrant,
  wantedGrant,
} from '../../../src/plugins/mysql/module/grants.ts';
import { packages } from '../../../src/plugins/pip/module/lists.ts';
import { acmeModule } from '../../../src/plugins/acme/module.ts';
import { bindCall } from '../../../src/runtime/loader/bind.ts';
import { dict } from '../../../src/python/values/value.ts';
import { localMinion } from '../../support/local-minion.ts';
import { fakeStateContext } from '../../support/state-context.ts';

test('later releases - logrotate keeps each script with its end, and the other files of a block', async (t) => {
  const { path, call } = localMinion(t);
  const file = path('conf');
  writeFileSync(
    file,
    [
      'weekly',
      '/var/log/a.log /var/log/b.log {',
      '  rotate 4',
      '  prerotate',
      '    # why',
      '    if [ -e "${A}" ]; then touch x; fi',
      '  endscript',
      '  postrotate',
      '    echo b',
      '  endscript',
      '}',
      '/var/log/c.log {',
      '  daily',
      '}',
      '',
    ].join('\n'),
  );
  await call('logrotate.set', '/var/log/b.log', 'rotate', '7', `conf_file=${file}`);
  assert.equal(
    readFileSync(file, 'utf8'),
    [
      'weekly',
      '/var/log/a.log /var/log/b.log {',
      '    rotate 7',
      '    prerotate',
      '        # why',
      '        if [ -e "${A}" ]; then touch x; fi',
      '    endscript',
      '    postrotate',
      '        echo b',
      '    endscript',
      '}',
      '/var/log/c.log {',
      '  daily',
      '}',
      '',
    ].join('\n'),
  );
  assert.equal(await call('logrotate.set', '/var/log/b.log', 'rotate', '7', `conf_file=${file}`), true);
});

test('later releases - addresses of IPv6 keep their colons', () => {
  assert.equal(sanitizeHost('2001:db8::1'), '2001:db8::1');
  assert.equal(sanitizeHost('fe80::1%eth0'), 'fe80::1%eth0');
  assert.equal(sanitizeHost('web1.example.org;id'), 'web1.example.orgid');
  assert.equal(sanitizeHost('::1;id'), '1id');
});

test('later releases - disk.tune gives blockdev options that it knows, and says what it says', async (t) => {
  const { path, call } = localMinion(t);
  mkdirSync(path('bin'));
  const script = `#!/bin/sh\necho "$@" >> ${path('told')}\n[ "$1" = --setra ] && { echo no such device >&2; exit 1; }\necho 1\n`;
  writeFileSync(path('bin', 'blockdev'), script, { mode: 0o755 });
  const before = process.env['PATH'];
  t.after(() => (process.env['PATH'] = before));
  process.env['PATH'] = `${path('bin')}:${before ?? ''}`;
  assert.deepEqual(await call('disk.tune', '/dev/x', 'read-only=True'), { getro: '1' });
  assert.equal(readFileSync(path('told'), 'utf8').split('\n')[0], '--setro /dev/x');
  assert.match(String(await call('disk.tune', '/dev/x', 'read-ahead=9')), /no such device/);
  assert.match(
    String(await call('disk.tune', '/dev/x', 'read-only=9')),
    /Invalid keyword arguments: read-only=9\./,
  );
});

test('later releases - user.present in test mode takes a group for granted that an earlier state may make', async (t) => {
  const { path, call } = localMinion(t);
  const sls = {
    'no-such-group': { 'group.present': [] },
    'no-such-user': { 'user.present': [{ groups: ['no-such-group'] }] },
  };
  writeFileSync(path('srv', 'u.sls'), JSON.stringify(sls));
  const [, state] = Object.values((await call('state.apply', 'u', 'test=True')) as object) as {
    result: unknown;
    comment: string;
  }[];
  assert.equal(state?.result, null, state?.comment);
  assert.match(state?.comment ?? '', /set to be added/);
});

test('later releases - the head of a chain of prereq runs only when the state in the middle will', async (t) => {
  const { write, run } = localMinion(t);
  const chain = (kind: string, end: string): string =>
    `a: {cmd.run: [{name: echo a}, {prereq: [{cmd: b}]}]}\nb: {cmd.run: [{name: echo b}, {${kind}: [{test: c}]}]}\nc: {test.${end}: []}\n`;
  const ran = async (sls: string): Promise<string[]> => {
    write('srv/chain.sls', sls);
    const { ret } = await run('state.apply', 'chain');
    const results = Object.values(ret as Record<string, { __id__: string; changes: object }>);
    return results
      .filter(({ changes }) => Object.keys(changes).length > 0)
      .map(({ __id__: id }) => id)
      .sort();
  };
  assert.deepEqual(await ran(chain('prereq', 'succeed_without_changes')), []);
  assert.deepEqual(await ran(chain('prereq', 'succeed_with_changes')), ['a', 'b', 'c']);
  assert.deepEqual(await ran(chain('onchanges', 'succeed_without_changes')), []);
  assert.deepEqual(await ran(chain('onchanges', 'succeed_with_changes')), ['a', 'b', 'c']);
  assert.deepEqual(await ran(chain('onfail', 'succeed_without_changes')), []);
  assert.deepEqual(await ran(chain('onfail', 'fail_without_changes')), ['a', 'b']);
});

test('later releases - archive.tar changes into the folder before the members, which lie there', async (t) => {
  const { path, write, call } = localMinion(t);
  write('there/top/file', 'x');
  await call('archive.tar', 'cf', path('made.tar'), 'sources=top', `dest=${path('there')}`);
  assert.deepEqual(await call('archive.list', path('made.tar')), ['top/', 'top/file']);
});

const asRoot = process.getuid?.() === 0 ? false : 'only root gives files away';
test(
  'later releases - archive.extracted gives a folder away that has no entry of its own',
  { skip: asRoot },
  async (t) => {
    const { path, write, run } = localMinion(t);
    write('from/top/sub/file', 'x');
    execFileSync('tar', ['cf', path('made.tar'), '-C', path('from'), 'top/sub/file']);
    const args = [path('to'), `source=${path('made.tar')}`, 'user=nobody'];
    const changes = async (): Promise<unknown> => {
      const { ret } = await run('state.single', 'archive.extracted', ...args);
      const [result] = Object.values(ret as Record<string, { result: boolean; changes: object }>);
      assert.equal(result?.result, true);
      return Object.keys(result.changes);
    };
    assert.deepEqual(await changes(), ['updated ownership', 'directories_created', 'extracted_files']);
    const owner = statSync(path('to')).uid;
    assert.notEqual(owner, 0);
    for (const one of ['top', 'top/sub', 'top/sub/file']) assert.equal(statSync(path('to', one)).uid, owner);
    assert.deepEqual(await changes(), []);
  },
);

test('later releases - x86_64_v2 goes by the name of x86_64, and no other architecture does', () => {
  assert.equal(resolvedName('bash', 'x86_64', 'x86_64_v2'), 'bash');
  assert.equal(resolvedName('bash', 'x86_64_v2', 'x86_64'), 'bash');
  assert.equal(resolvedName('bash', 'i686', 'x86_64_v2'), 'bash.i686');
});

test('later releases - a key of apt in a file that ends in .asc stays text', async (t) => {
  const { path } = localMinion(t);
  const text = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEYCQjIxYJ\n-----END PGP PUBLIC KEY BLOCK-----\n';
  writeFileSync(path('fetched'), text);
  const ctx = fakeStateContext({ functions: { 'cp.cache_file': path('fetched') } });
  const key = {
    path: 'salt://k',
    text: null,
    keyserver: null,
    keyid: null,
    saltenv: 'base',
    keyfile: 'k.asc',
  };
  assert.equal(await addKey(ctx, key, { usesAptKey: false, folder: path('') }), true);
  assert.equal(readFileSync(path('k.asc'), 'utf8'), text);
});

test('later releases - an empty IPRange of Docker 29 is no difference of networks', () => {
  const network = (pool: Readonly<Record<string, string>>): ReturnType<typeof dict> =>
    dict({ Name: 'n', IPAM: dict({ Driver: 'default', Config: [dict(pool)] }) });
  const wanted = network({ Subnet: '10.0.0.0/24' });
  assert.equal(
    networkDifferences(wanted, network({ Subnet: '10.0.0.0/24', IPRange: '', Gateway: '' }), []).size,
    0,
  );
  assert.equal(
    networkDifferences(wanted, network({ Subnet: '10.0.0.0/24', IPRange: '10.0.0.0/25' }), []).size,
    1,
  );
});

const INI = 'top = 1\n[keep]\na = 1\nextra = 2\n[gone]\nb = 2\n';

test('later releases - ini.options_present with strict takes out what is not named, sections too', async (t) => {
  const { path, write, call } = localMinion(t);
  const state = async (file: string, ...more: string[]): Promise<Record<string, unknown>> => {
    const sections = 'sections={"keep": {"a": 1, 7: 8}, "9": {"c": 3}}';
    const [made = {}] = Object.values(
      (await call('state.single', 'ini.options_present', file, sections, ...more)) as Record<
        string,
        Record<string, unknown>
      >,
    );
    return made;
  };
  const file = path('a.ini');
  write('a.ini', INI);
  const foretold = await state(file, 'strict=True', 'test=True');
  assert.equal(foretold['result'], null);
  assert.match(String(foretold['comment']), /^Removed section gone\.$/m);
  assert.equal(readFileSync(file, 'utf8'), INI);
  const made = await state(file, 'strict=True');
  assert.deepEqual((made['changes'] as Record<string, unknown>)['gone'], { before: { b: '2' }, after: null });
  assert.equal(readFileSync(file, 'utf8').includes('gone'), false);
  assert.deepEqual((await state(file, 'strict=True'))['changes'], {}, 'the second time');
  write('b.ini', INI);
  await state(path('b.ini'));
  assert.match(readFileSync(path('b.ini'), 'utf8'), /\[gone\]\nb = 2/, 'without strict it stays');
});

test('later releases - an unfit top file is named with its environment and its target', async (t) => {
  const { write, call } = localMinion(t);
  const said = async (top: string): Promise<unknown> => {
    write('srv/top.sls', top);
    return call('state.show_top');
  };
  const where =
    "Malformed topfile: the states of the target 'rhel9*' in saltenv 'base' are not formed as a list";
  assert.deepEqual(await said("base:\n  '*': [a]\n  'rhel9*':\n"), [`${where}, but are nothing`]);
  assert.deepEqual(await said("base:\n  'rhel9*': nginx\n"), [`${where}, but are nginx`]);
  assert.deepEqual(await said("base:\n  'web*': ['']\n"), [
    "Environment base contains an empty sls index for the target 'web*'",
  ]);
  assert.match(String(await said("base:\n  'web*': [{match: }]\n")), /saltenv base for the target 'web\*'/);
});

test('later releases - pip lists what is there without looking for a newer pip', async () => {
  const ran: string[] = [];
  const said = (version: string) => (command: readonly unknown[]) => {
    const words = String(command[0]);
    ran.push(words);
    const stdout = words.includes('--version') ? `pip ${version} from /x (python 3.11)` : '[]';
    return dict({ pid: 1, retcode: 0, stderr: '', stdout: words.includes('freeze') ? 'a==1' : stdout });
  };
  for (const version of ['22.0', '8.1.0', '1.5']) {
    const ctx = fakeStateContext({ functions: { 'cmd.run_all': said(version) } });
    await packages(ctx, null, { bin_env: null });
  }
  const lists = ran.filter((words) => !words.includes('--version'));
  assert.deepEqual(
    lists.map((words) => words.includes('--disable-pip-version-check')),
    [true, true, false],
    'an option that came with pip 6.0',
  );
});

test('later releases - all privileges are those that the server has', () => {
  const wanted = wantedGrant('ALL PRIVILEGES', '*.*', { mayGrant: false, escape: true });
  const shown = ['GRANT SELECT, ALTER ON *.* TO `a`@`%`', 'GRANT SET_ANY_DEFINER ON *.* TO `a`@`%`'].flatMap(
    (line) => shownGrant(line) ?? [],
  );
  const everything = everythingOf(['Select', 'Alter', 'Grant option', 'Proxy', 'Usage', 'SET_ANY_DEFINER']);
  assert.equal(isGranted(shown, wanted, { version: '8.4.0', everything }), true);
  assert.equal(
    isGranted(shown, wanted, { version: '8.4.0', everything: [...(everything ?? []), 'DROP'] }),
    false,
  );
  assert.equal(isGranted(shown, wanted, { version: '8.4.0' }), false, 'the list of 8.0, where there is none');
  assert.equal(everythingOf([]), undefined);
  const named = wantedGrant('SERVICE_CONNECTION_ADMIN', '*.*', { mayGrant: false, escape: true });
  assert.equal(named.privileges[0]?.name, 'SERVICE_CONNECTION_ADMIN');
});

test('later releases - acme hands over how long the plugin waits for the record', async () => {
  let ran: readonly unknown[] = [];
  const ctx = fakeStateContext({
    functions: {
      'file.file_exists': false,
      'cmd.run_all': ([command]) => {
        ran = Array.isArray(command) ? command : [];
        return dict({ retcode: 1, stderr: 'no', stdout: '' });
      },
    },
  });
  const spec = acmeModule.functions['cert'];
  assert.ok(spec);
  const keywords = {
    dns_plugin: 'cloudflare',
    dns_plugin_credentials: '/c',
    dns_plugin_propagate_seconds: 60,
  };
  const bound = bindCall('acme.cert', spec, { positional: ['a.example'], keywords: dict(keywords) });
  await spec.run(ctx, bound.args, bound.rest, bound.kwargs);
  const at = ran.indexOf('--dns-cloudflare-propagation-seconds');
  assert.deepEqual(ran.slice(at, at + 2), ['--dns-cloudflare-propagation-seconds', '60']);
});
