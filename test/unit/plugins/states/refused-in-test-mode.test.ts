/** Arguments that can never be right are refused in test mode as they are in the run, and right ones are not. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { param } from '../../../../src/runtime/loader/params.ts';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { defineState, foretelling } from '../../../../src/plugins/shared/state-function.ts';
import { callState, fakeStateContext } from '../../../support/state-context.ts';

type Row = readonly [fun: string, args: Record<string, Value>, comment: RegExp];

const ACCOUNTS: readonly Row[] = [
  ['user.present', { name: 'bad:name' }, /^A user cannot be called 'bad:name'/],
  ['user.present', { name: 'a b' }, /^A user cannot be called/],
  [
    'user.present',
    { name: 'new1', uid: 'abc' },
    /^uid must be a whole number from 0 to 4294967294, not 'abc'$/,
  ],
  ['user.present', { name: 'new1', uid: -5 }, /^uid must be a whole number/],
  ['user.present', { name: 'new1', home: 'rel' }, /^home must be a whole path/],
  ['user.present', { name: 'new1', shell: '/a:b' }, /^shell cannot have colons or line ends in it: '\/a:b'$/],
  ['user.present', { name: 'new1', fullname: 'a:b' }, /^fullname cannot have colons/],
  ['user.present', { name: 'root', home: '/a\nb' }, /^home cannot have colons or line ends/],
  ['user.present', { name: 'new1', password: 'se:cret' }, /^password cannot have colons or line ends in it$/],
  ['user.present', { name: 'new1', expire: 'never' }, /^expire must be a number of days, or a date/],
  ['group.present', { name: 'bad:name' }, /^A group cannot be called 'bad:name'/],
  ['group.present', { name: 'new1', gid: 'abc' }, /^gid must be a whole number/],
  ['group.present', { name: 'new1', gid: -1 }, /^gid must be a whole number/],
  ['group.present', { members: 'joe' }, /^members must be a list of users, not 'joe'$/],
  ['group.present', { addusers: [['joe']] }, /^addusers has something that is no name of a user/],
  ['group.present', { members: ['joe'], delusers: ['ann'] }, /^Error: Conflicting options "members"/],
  ['group.present', { addusers: ['joe'], delusers: ['joe'] }, /^Error\. Same user/],
  ['group.present', { members: ['gone'] }, /^User 'gone' is not available$/],
  ['group.present', { members: [5] }, /^User '5' is not available$/],
  ['user.present', { name: 'new1', groups: ['gone'] }, /^The following group\(s\) are not present: gone$/],
  ['user.present', { name: 'new1', groups: '' }, /^groups must be a list of names of groups/],
  ['user.present', { name: 'new1', gid: 'gone' }, /^The group gone of gid is not present$/],
  ['user.present', { name: 'new1', gid: ['a'] }, /^gid must be the name or the id of a group/],
  ['user.present', { name: 'new1', home: '' }, /^home must be a whole path/],
  ['user.present', { name: 'new1', password: 5 }, /^password must be a text/],
  ['user.present', { name: 'new1', unique: false }, /^unique: False needs a uid$/],
  ['user.present', { name: 'new1', mindays: true }, /^mindays must be a number of days/],
];
const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIAAC';
const SSH: readonly Row[] = [
  ['ssh_auth.present', { name: '', user: 'root' }, /^Invalid public ssh key/],
  ['ssh_auth.present', { name: KEY, user: '' }, /^user must be the name of a user/],
  ['ssh_auth.present', { name: KEY, user: 'root', config: '' }, /^config must be the path of a file/],
  [
    'ssh_auth.present',
    { name: KEY, user: 'root', options: 'no-pty' },
    /^options must be a list, not 'no-pty'$/,
  ],
  ['ssh_auth.present', { name: KEY, user: 'root', enc: 'rot13' }, /^Incorrect encryption key type 'rot13'/],
  ['ssh_auth.present', { name: 'x', user: 'root', source: 'rel' }, /^Source file rel is missing$/],
  ['ssh_auth.present', { name: KEY, user: 'root', fingerprint_hash_type: 'x' }, /x is not supported\.$/],
  ['ssh_auth.absent', { name: 'x', user: 'root', source: 'rel' }, /^Source file rel is missing$/],
  ['ssh_auth.manage', { user: 'root', ssh_keys: KEY }, /^ssh_keys must be a list/],
];
const FILTERS: readonly Row[] = [
  ['iptables.append', { table: 'no' }, /^iptables has no table 'no'; the tables are filter, nat,/],
  ['iptables.append', { family: 'inet6' }, /^iptables has no family 'inet6'; the families are ipv4, ipv6\.$/],
  ['iptables.flush', { table: '' }, /^iptables has no table ''/],
  ['iptables.set_policy', { family: 'IPv6', chain: 'INPUT', policy: 'DROP' }, /^iptables has no family/],
  ['iptables.chain_present', { name: '' }, /^A chain needs a name: '' is none$/],
  ['iptables.chain_absent', { name: 'a b' }, /^The name of a chain has no blanks: 'a b'$/],
  ['ipset.set_present', { set_type: 'no' }, /Set Type is invalid$/],
  ['ipset.set_present', { set_type: 'hash:ip', family: 'no' }, /^ipset has no family 'no'/],
  ['ipset.flush', { family: 'no' }, /^ipset has no family 'no'/],
  ['ipset.set_absent', { name: '' }, /^A set needs a name/],
  ['nftables.chain_present', { hook: 'input' }, /Table_type, hook, and priority required/],
  ['nftables.chain_present', { name: '' }, /^A chain needs a name/],
];
const CRON: readonly Row[] = [
  ['cron.present', { name: 'x', minute: '60' }, /^minute must be \*, or numbers up to 59 .* not '60'$/],
  ['cron.present', { name: 'x', hour: 'noon' }, /^hour must be/],
  ['cron.present', { name: 'x', daymonth: '1-32' }, /^daymonth must be/],
  ['cron.present', { name: 'x', month: '*/x' }, /^month must be/],
  ['cron.present', { name: 'x', dayweek: 8 }, /^dayweek must be/],
  ['cron.present', { name: 'x', special: '@sometimes' }, /^special must be a word such as @hourly/],
  ['cron.present', { name: 'x\ny' }, /^Name cannot have a line end/],
  ['cron.present', { name: 'x', identifier: 'a\nb' }, /^Identifier cannot have a line end/],
  ['cron.env_present', { name: 'A B', value: '1' }, /^The name of a variable has no blanks/],
  ['cron.env_present', { name: 'A', value: '1\n2' }, /^Value cannot have a line end/],
];
const OTHERS: readonly Row[] = [
  ['alternatives.install', { link: 'rel', path: '/bin/ls', priority: 1 }, /^link must be a whole path/],
  ['alternatives.install', { link: '/tmp/a', path: 'ls', priority: 1 }, /^path must be a whole path/],
  [
    'alternatives.install',
    { link: '/tmp/a', path: '/bin/ls', priority: 'high' },
    /^priority must be a whole number/,
  ],
  [
    'alternatives.install',
    { name: 'a/b', link: '/tmp/a', path: '/bin/ls', priority: 1 },
    /no slashes and blanks: 'a\/b'/,
  ],
  ['cmd.run', { timeout: 'abc' }, /^Error: timeout abc must be a number$/],
  ['cmd.run', { success_retcodes: 'ok' }, /^success_retcodes must be a list of integers$/],
  ['cmd.script', { timeout: 'abc' }, /^Error: timeout abc must be a number$/],
  ['cmd.run', { output_encoding: 'nosuch' }, /^unknown encoding: nosuch$/],
  ['file.touch', { name: '/tmp/brine-x', atime: 'abc' }, /^atime must be a number of seconds/],
  ['file.touch', { name: '/tmp/brine-x', mtime: ['a'] }, /^mtime must be a number of seconds/],
  ['file.symlink', { name: '/tmp/brine-x', target: '' }, /^Must provide target to file.symlink$/],
  ['file.decode', { name: '/tmp/brine-x', encoded_data: 'abc' }, /^encoded_data is no text in base64$/],
  [
    'file.decode',
    { name: '/tmp/brine-x', encoded_data: 'YQ==', checksum: 'no' },
    /^Hash func 'no' is not supported/,
  ],
  ['file.mknod', { name: '/tmp', ntype: 'p' }, /exists and cannot be overwritten$/],
  ['file.mknod', { name: 'rel', ntype: 'p' }, /is not an absolute path$/],
  ['file.rename', { name: '/tmp/x/y', source: '/tmp' }, /which is within it$/],
  ['sysctl.present', { name: 'vm.swappiness', value: 'a\nb' }, /^Value cannot have a line end/],
  ['sysctl.present', { name: 'vm.swappiness', value: '' }, /its value cannot be empty$/],
  ['sysctl.present', { name: 'vm.swappiness', value: 1, config: 'rel' }, /^config must be a whole path/],
  ['sysctl.present', { name: 'vm.swappiness', value: 'high' }, /the kernel takes numbers there, as 60$/],
  [
    'virtualenv.managed',
    { name: '/nowhere/x', venv_bin: 'brine-nosuch' },
    /'brine-nosuch' is not installed: install it/,
  ],
  [
    'virtualenv.managed',
    { name: '/nowhere/x', venv_bin: 'venv', python: 'python3' },
    /option is not supported by 'venv'$/,
  ],
  ['cron.present', { user: ['joe'] }, /^user must be the name of a user, not \['joe'\]$/],
  ['alternatives.install', { name: '', link: '/a', path: '/b', priority: 1 }, /cannot be empty$/],
  ['alternatives.auto', { name: 'gone' }, /^gone was not put in auto mode: update-alternatives: error/],
  ['alternatives.set', { path: '' }, /^path must be a whole path/],
  ['alternatives.remove', { path: '' }, /^path must be a whole path/],
  ['timezone.system', { name: 'Europe/Berlin', utc: 'yes' }, /^utc must be True or False, not 'yes'$/],
  ['kmod.present', { name: 'gone' }, /^Kernel module gone is unavailable$/],
  ['kmod.present', { mods: 'a,b' }, /^mods must be a list, not 'a,b'$/],
  ['at.present', { timespec: 'now', unique_tag: true }, /^no tag provided/],
  ['at.present', { timespec: '' }, /^timespec says when the job is to run/],
  ['at.present', { timespec: 'now', user: 'gone' }, /^user gone does not exists$/],
  ['environ.setenv', { name: '', value: 'x' }, /^'' is no name of a variable$/],
  ['environ.setenv', { value: dict({ 'a=b': 'x' }) }, /^'a=b' is no name of a variable$/],
  ['docker_container.running', { name: 'no such' }, /^A container of Docker cannot be called 'no such'/],
  ['docker_volume.present', { name: 'a b' }, /^A volume of Docker cannot be called 'a b'/],
  ['docker_volume.present', { driver_opts: 'x' }, /^driver_opts must be a mapping, not 'x'$/],
  ['selinux.port_policy_present', { sel_type: '' }, /^SELinux Type is required/],
  ['selinux.fcontext_policy_present', { sel_type: 'a b' }, /^'a b' is no type of SELinux$/],
  ['selinux.module_install', { name: '/brine-nosuch.pp' }, /^Failed to install module/],
  ['redis.string', { value: ['a'] }, /^value must be a text or a number/],
  ['redis.string', { value: 'a', expire: 'soon' }, /^expire must be a number of seconds/],
  ['sqlite3.table_present', { db: ':memory:', schema: 'no such' }, /syntax error/],
  [
    'sqlite3.table_present',
    { db: ':memory:', schema: 5 },
    /^schema must be a statement, or a list of columns/,
  ],
  ['tls.valid_certificate', { days: 'many' }, /^days must be a number, not 'many'$/],
  ['file.decode', { name: 'rel', encoded_data: 'YQ==' }, /is not an absolute path$/],
  ['file.serialize', { name: 'rel', dataset: { a: 1 } as unknown as Value }, /is not an absolute path$/],
  ['file.serialize', { name: '/tmp', dataset: { a: 1 } as unknown as Value }, /is a directory$/],
  ['file.managed', { name: '/etc/passwd/x/y', contents: 'x', makedirs: true }, /^\/etc\/passwd is no folder/],
  ['host.present', { ip: '10.0.0.9', comment: 'a\nb' }, /^Comment cannot have a line end/],
  ['host.present', { ip: '10.0.0.9\n1.1.1.1 evil' }, /^Ip cannot have a line end/],
  ['host.present', { name: 'a b', ip: '10.0.0.9' }, /^A name of a host has no blanks and no #: 'a b'$/],
  ['host.only', { name: '10.0.0.9', hostnames: ['a\nb'] }, /^Hostnames cannot have a line end/],
  ['ini.options_present', { name: '/tmp/x.ini', sections: dict({ 'a\nb': {} }) }, /cannot have a line end/],
  ['ini.sections_absent', { name: '/tmp/x.ini', sections: ['a\nb'] }, /cannot have a line end/],
  ['locale.system', { name: 'a\nb' }, /^Name cannot have a line end/],
  ['cron.env_absent', { name: 'a\nb' }, /^Name cannot have a line end/],
  [
    'ssh_known_hosts.present',
    { name: 'h', port: 'abc' },
    /^port must be a number from 1 to 65535, not 'abc'$/,
  ],
  ['ssh_known_hosts.present', { name: 'h', port: 70000 }, /^port must be a number/],
  ['ssh_known_hosts.present', { name: 'h', port: 2222 }, /hash_known_hosts$/],
  ['ssh_known_hosts.present', { name: 'a b' }, /is no name or address of a host$/],
  [
    'ssh_known_hosts.present',
    { name: 'h', key: 'no key', enc: 'ssh-rsa' },
    /^key is no key of SSH: 'no key'$/,
  ],
  ['ssh_known_hosts.present', { name: 'h', key: 'YWJj', enc: 'ssh-rsa' }, /^key is no key of SSH/],
  [
    'ssh_known_hosts.present',
    { name: 'h', key: 'AAAAC3NzaC1lZDI1NTE5AAAAIAAC', enc: 'ssh-rsa' },
    /^key is of the kind ssh-ed25519, and enc says ssh-rsa$/,
  ],
];
const GIT: readonly Row[] = [
  ['git.latest', { target: '/nowhere/x', branch: 'a..b' }, /^branch is no name that git takes: 'a\.\.b'$/],
  ['git.latest', { target: '/nowhere/x', remote: 'a b' }, /^remote is no name that git takes/],
  ['git.detached', { target: '/nowhere/x', rev: 'main', remote: 'a~' }, /^remote is no name/],
  ['git.cloned', { target: '/nowhere/x', branch: 'x.lock' }, /^branch is no name/],
  ['git.present', { name: '/nowhere/x', shared: 'some' }, /^shared must be group, all, umask or a mode/],
  ['git.present', { name: 'rel' }, /^Target 'rel' is not an absolute path$/],
  ['git.present', { name: '~/rel' }, /is not an absolute path$/],
  ['git.present', { name: '/nowhere/x', separate_git_dir: '/y' }, /not compatible with a bare repository/],
  ['git.config_set', { name: 'nodot', value: '1', repo: '/' }, /^'nodot' is no name of a setting/],
  ['git.config_set', { name: 'a b.c d', value: '1', repo: '/' }, /is no name of a setting/],
];

/** What the modules would ask programs; nothing is called in test mode but what looks. */
const LOOKS = {
  'user.info': dict(),
  'group.info': dict(),
  'group.getent': [],
  'shadow.info': dict(),
  'file.group_to_gid': '',
  'file.user_to_uid': ([user]: readonly Value[]) => (user === 'root' ? 0 : ''),
  'alternatives.check_exists': false,
  'alternatives.display': 'update-alternatives: error: no alternatives for gone',
  'kmod.mod_list': [],
  'kmod.available': [],
  'at.jobcheck': dict({ jobs: [] }),
  'sysctl.default_config': '/etc/sysctl.conf',
  'sysctl.show': dict(),
  'sysctl.get': '60',
  'docker.volumes': dict({ Volumes: [] }),
  'redis.get_key': null,
  'git.version': '2.39.0',
  'ssh.check_known_host': 'add',
};

for (const [fun, args, comment] of [...ACCOUNTS, ...SSH, ...FILTERS, ...CRON, ...OTHERS, ...GIT])
  test(`${fun} - test mode refuses ${JSON.stringify(args)}`, async () => {
    const result = await callState(fun, dict({ name: 'x', ...args }), { test: true, functions: LOOKS });
    assert.equal(result.get('result'), false, String(result.get('comment')));
    assert.match(String(result.get('comment')), comment);
    assert.deepEqual(result.get('changes'), dict());
  });

const RIGHT: readonly (readonly [fun: string, args: Record<string, Value>])[] = [
  ['user.present', { name: 'first.last', uid: '1234', home: '/home/x', shell: '/bin/sh', fullname: 'A B' }],
  ['user.present', { name: 'DOMAIN\\joe@x', expire: '2030-12-31', uid: '', mindays: '' }],
  ['group.present', { name: '_chrony', gid: '1234', members: ['root'] }],
  ['environ.setenv', { name: 'BRINE_NOSUCH', value: 'one' }],
  ['at.present', { timespec: 'now + 1 day', tag: 'x', unique_tag: true }],
  ['ssh_auth.present', { name: KEY, user: 'root', enc: 'ed25519', options: ['no-pty'] }],
  ['cron.present', { minute: '*/5,7', hour: '0-23/2', daymonth: '1,15', month: 'jan-mar', dayweek: 'MON' }],
  ['cron.present', { minute: 'random', hour: '0~6', daymonth: 7, month: '*', dayweek: '7' }],
  ['cron.present', { special: '@reboot' }],
  ['cron.present', { minute: 'whenever', commented: true }],
  ['cron.env_present', { name: 'MAILTO', value: '' }],
  ['alternatives.install', { link: '/usr/bin/x', path: '/opt/x', priority: '-5' }],
  ['cmd.run', { timeout: 30, success_retcodes: '0,2', output_encoding: 'latin-1' }],
  ['git.present', { name: '/nowhere/x', shared: 0o660 }],
  ['git.present', { name: '/nowhere/x', separate_git_dir: '/y', bare: false }],
  ['file.touch', { name: '/tmp/brine-nosuch', atime: '1700000000', mtime: 1_700_000_000 }],
  ['file.decode', { name: '/tmp/brine-nosuch', encoded_data: 'YQ==\n', checksum: 'sha256' }],
  [
    'ssh_known_hosts.present',
    { name: '[::1]', key: 'AAAAC3NzaC1lZDI1NTE5AAAAIAAC', enc: 'ed25519', port: 22 },
  ],
  ['ssh_known_hosts.present', { name: 'h', port: 2222, hash_known_hosts: false }],
];

for (const [fun, args] of RIGHT)
  test(`${fun} - test mode promises ${JSON.stringify(args)}`, async () => {
    const functions = { ...LOOKS, 'cron.list_tab': dict({ crons: [], env: [], pre: [], special: [] }) };
    const result = await callState(fun, dict({ name: 'x', ...args }), { test: true, functions });
    assert.equal(result.get('result'), null, String(result.get('comment')));
  });

test('group.present - test mode refuses an id that another group has', async () => {
  const functions = { ...LOOKS, 'group.getent': [dict({ name: 'other', gid: 1234 })] };
  const args = dict({ name: 'new1', gid: 1234 });
  const result = await callState('group.present', args, { test: true, functions });
  assert.equal(result.get('result'), false);
  assert.match(String(result.get('comment')), /gid 1234 is already taken by group other$/);
});

test('alternatives.auto - a name that is none has failed', async () => {
  const error = 'update-alternatives: error: no alternatives for x';
  const functions = { 'alternatives.display': error, 'alternatives.auto': error };
  const result = await callState('alternatives.auto', dict({ name: 'x' }), { functions });
  assert.equal(result.get('result'), false);
  assert.equal(result.get('comment'), `x was not put in auto mode: ${error}`);
});

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-refused-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const fun of ['git.present', 'git.cloned', 'git.detached', 'git.latest'])
  test(`${fun} - test mode refuses a folder at or below a file`, async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'file'), 'x');
    mkdirSync(join(folder, 'dir'));
    for (const place of [join(folder, 'file/sub'), join(folder, 'file/a/b')]) {
      const more = fun === 'git.present' ? { name: place } : { name: folder, target: place, rev: 'main' };
      if (fun === 'git.cloned') delete (more as Record<string, Value>)['rev'];
      const functions = {
        'git.is_worktree': false,
        'git.config_get_regexp': dict(),
        'git.remote_refs': dict(),
      };
      const result = await callState(fun, dict(more), { test: true, functions });
      assert.equal(result.get('result'), false, `${fun} ${place}`);
      assert.match(String(result.get('comment')), /cannot be made: .*\/file is a regular file$/);
    }
  });

const KEYS: readonly (readonly [fun: string, args: Record<string, Value>, comment: RegExp | null])[] = [
  ['x509.private_key_managed', { algo: 'foo' }, /^Invalid algorithm specified/],
  ['x509.private_key_managed', { keysize: 'many' }, /^RSA key size must be/],
  ['x509.private_key_managed', { keysize: 7 }, /^RSA key size must be/],
  ['x509.private_key_managed', { algo: 'ec', keysize: 123 }, /^EC key size must be/],
  ['x509.private_key_managed', { algo: 'ec', keysize: 384 }, null],
  ['x509.csr_managed', { private_key: '/made/by/an/earlier.key', CN: 'x' }, null],
  [
    'x509.certificate_managed',
    { signing_private_key: '/made/by/an/earlier.key', CN: 'x', keyUsage: 'critical, cRLSign' },
    null,
  ],
  ...['zz', 'critical, cRLsign', ['cRLSign', 'zz']].map(
    (keyUsage) =>
      [
        'x509.certificate_managed',
        { signing_private_key: '/made/by/an/earlier.key', CN: 'x', keyUsage },
        /^'(?:zz|cRLsign)' is no keyUsage: there are digitalSignature, /,
      ] as const,
  ),
  [
    'x509.csr_managed',
    { private_key: '/made/by/an/earlier.key', CN: 'x', keyUsage: 'zz' },
    /^'zz' is no keyUsage/,
  ],
  [
    'x509.csr_managed',
    { private_key: '/made/by/an/earlier.key', CN: 'x', digest: 'no' },
    /^Invalid value 'no' for digest/,
  ],
  ['x509.certificate_managed', { signing_private_key: '/made/by/an/earlier.key', CN: 'x' }, null],
  [
    'x509.certificate_managed',
    { signing_private_key: '/made/by/an/earlier.key', digest: 'no' },
    /^Invalid value 'no' for digest/,
  ],
  [
    'x509.crl_managed',
    { signing_private_key: '/made/by/an/earlier.key', revoked: [], digest: 'no' },
    /^Invalid value/,
  ],
];

for (const [fun, args, comment] of KEYS)
  test(`${fun} - test mode with ${JSON.stringify(args)} says what the run says`, async (t) => {
    const folder = folderOf(t);
    const name = join(folder, 'thing.pem');
    const opts = dict({
      id: 'm',
      hash_type: 'sha256',
      cachedir: join(folder, 'cache'),
      file_client: 'local',
    });
    const written = dict({ result: null, changes: dict({ newfile: name }), comment: '', name });
    const functions = { 'state.single': dict({ 'file_|-x_|-x_|-managed': written }) };
    const options = { opts, random: systemRandom, test: true, functions };
    const result = await callState(fun, dict({ name, ...args }), options);
    assert.equal(result.get('result'), comment === null ? null : false, pyStr(result));
    if (comment !== null) assert.match(String(result.get('comment')), comment, pyStr(result));
  });

test('foretelling - in test mode the result of changes is None, and of none it stays', async () => {
  const plain = defineState({
    doc: 'A state.',
    params: { name: param.text({ doc: 'A name.' }) },
    run: (_ctx, { name }) => ({
      ...{ name, result: name !== 'bad', comment: '' },
      changes: name === 'idle' ? dict() : dict({ a: 'b' }),
    }),
  });
  const { spec = plain } = foretelling({ spec: plain });
  const resultOf = async (name: string, isTest: boolean): Promise<Value> => {
    const ctx = fakeStateContext({ test: isTest });
    return ((await spec.run(ctx, { name }, [], new Map())) as Dict).get('result') ?? null;
  };
  assert.equal(await resultOf('x', true), null);
  assert.equal(await resultOf('x', false), true);
  assert.equal(await resultOf('idle', true), true);
  assert.equal(await resultOf('bad', true), false);
});

test('defineState - what refuses says is the failure, before the body runs', async () => {
  const ran: Value[] = [];
  const spec = defineState({
    doc: 'A state.',
    params: { name: param.text({ doc: 'A name.' }) },
    refuses: ({ name }) => (name === 'bad' ? 'No.' : undefined),
    run: (_ctx, { name }) => {
      ran.push(name);
      return { name, result: true, comment: '', changes: dict() };
    },
  });
  for (const mode of [true, false]) {
    const answer = (await spec.run(fakeStateContext({ test: mode }), { name: 'bad' }, [], new Map())) as Dict;
    assert.deepEqual([...answer.values()], ['bad', dict(), false, 'No.']);
  }
  assert.deepEqual(ran, []);
});
