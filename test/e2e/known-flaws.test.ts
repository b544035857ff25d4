/**
 * Flaws of Salt's history, played against the built programs: one test each, named after the CVE
 * (docs/internals/known-flaws.md).
 */
import assert from 'node:assert/strict';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { findUser } from '../../src/host/users.ts';
import { findProgram } from '../../src/host/which.ts';
import { dict, isDict, type Value } from '../../src/python/values/value.ts';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { Attacker, clearBytes, rawRequester } from '../support/attacker.ts';
import { certificate } from '../support/database-servers.ts';
import { Fleet, ours, runProgram, type Finished } from '../support/fleet.ts';
import { startHttpStandIn } from '../support/http-stand-in.ts';

const CANARY = 'canary4711';

/** A server whose certificate no authority of this machine has signed. */
async function selfSigned(t: TestContext): Promise<string> {
  const keys = {
    key: readFileSync(certificate('address.key')),
    cert: readFileSync(certificate('address.crt')),
  };
  const server = createServer(keys, (_request, response) => response.end('{"fetched": true}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
}

test('known flaws - salt-call without a master', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('alone', ['file_client: local']);
  const call = (...words: string[]): Promise<Finished> =>
    runProgram(join(ours.folder, 'salt-call'), ['-c', fleet.path('alone'), '--local', ...words]);
  const said = async (...words: string[]): Promise<string> => {
    const { stdout, stderr } = await call(...words);
    return `${stdout}${stderr}`;
  };
  const http = await startHttpStandIn(t, () => ({ body: 'stolen' }));

  // Salt's modules for clouds, VMware and others talked to any server that called itself the right one.
  await t.test(
    'CVE-2015-4017, CVE-2020-28972, CVE-2020-35662 - certificates are checked unless told otherwise',
    async () => {
      const url = await selfSigned(t);
      const wanted = [
        ['cp.get_url', url, ''],
        ['cp.cache_file', url],
        ['http.query', url],
        [
          'file.manage_file',
          fleet.path('f'),
          '',
          'None',
          url,
          'None',
          'root',
          'root',
          '644',
          '',
          'base',
          'None',
        ],
        ['state.single', 'file.managed', `name=${fleet.path('f')}`, `source=${url}`, 'skip_verify=True'],
      ];
      for (const text of await Promise.all(wanted.map((words) => said(...words))))
        assert.ok(!text.includes('fetched'), text);
      assert.ok(!existsSync(fleet.path('f')));
      assert.match(await said('http.query', url), /certificate|self.signed|unable to verify/i);
      assert.match(await said('http.query', url, 'verify_ssl=False'), /fetched/);
    },
  );

  // Salt wrote addresses of git and http with their passwords, new passwords of users and commands with theirs into its
  // log.
  await t.test(
    'CVE-2015-6918, CVE-2015-6941, CVE-2021-25284 - no password is logged at any level',
    async () => {
      const url = `http://user:${CANARY}@127.0.0.1:${http.port}/x`;
      const closed = `http://user:${CANARY}@127.0.0.1:9/x`;
      const wanted = [
        ['cp.get_url', url, fleet.path('got')],
        ['cp.cache_file', closed],
        ['http.query', closed],
        ['http.query', 'http://127.0.0.1:9/x', 'username=u', `password=${CANARY}`],
        [
          'state.single',
          'file.managed',
          `name=${fleet.path('f')}`,
          `source=${closed}`,
          'skip_verify=True',
          '--out=quiet',
        ],
        ['shadow.set_password', 'nosuchuser', CANARY],
        ['state.single', 'user.present', 'nosuchuser', `password=${CANARY}`, 'test=True'],
        ['cmd.run', 'true', `env={"PW": "${CANARY}"}`, `stdin=${CANARY}`],
      ];
      const outputs = await Promise.all(wanted.map((words) => said('-l', 'all', ...words)));
      outputs.forEach((text, i) => assert.ok(!text.includes(CANARY), `${wanted[i]?.join(' ')}\n${text}`));
      assert.ok(!readFileSync(fleet.path('alone', 'log', 'log'), 'utf8').includes(CANARY));
    },
  );

  // Salt made the place of what it had fetched out of the URL.
  await t.test('CVE-2021-21996 - a URL does not choose where it is kept', async () => {
    const stolen = fleet.path('stolen');
    const up = '../'.repeat(20);
    await Promise.all(
      [`${http.url}/${up}${stolen}`, `${http.url}/x?${up}${stolen}`, `${http.url}/%2e%2e/%2e%2e/x`].map(
        (url) => call('cp.cache_file', url),
      ),
    );
    assert.ok(!existsSync(stolen));
    assert.deepEqual(readdirSync(fleet.path('alone', 'cache', 'extrn_files')), ['base']);
  });

  // Not a CVE, but of their kind: Salt writes a user's key wherever the links in the user's own folders lead, as root.
  await t.test(
    'ssh.set_auth_key - a link of the user leads root to nobody else',
    { skip: (userInfo().uid !== 0 || findProgram('ssh') === undefined) && 'needs root and ssh' },
    async () => {
      const nobody = await findUser('nobody');
      assert.ok(nobody !== undefined);
      const key = `AAAAB3NzaC1yc2EAAAADAQABAAAA${'A'.repeat(340)}`;
      const place = (name: string): string => fleet.path('homes', name, '.ssh', 'authorized_keys');
      const root = fleet.path('root-ssh');
      mkdirSync(root);
      writeFileSync(join(root, 'authorized_keys'), 'ssh-rsa AAAA root\n');
      for (const name of ['folder', 'file', 'new', 'own'])
        mkdirSync(fleet.path('homes', name), { recursive: true });
      symlinkSync(root, fleet.path('homes/folder/.ssh'));
      lchownSync(fleet.path('homes/folder/.ssh'), nobody.uid, nobody.gid);
      const targets = {
        file: join(root, 'authorized_keys'),
        new: join(root, 'new'),
        own: fleet.path('homes/own/keys'),
      };
      writeFileSync(targets.own, '');
      chownSync(targets.own, nobody.uid, nobody.gid);
      for (const [name, target] of Object.entries(targets)) {
        mkdirSync(fleet.path('homes', name, '.ssh'));
        symlinkSync(target, place(name));
        lchownSync(place(name), nobody.uid, nobody.gid);
      }
      const set = (name: string): Promise<string> =>
        said('ssh.set_auth_key', 'nobody', key, `config=${place(name)}`);
      for (const name of ['folder', 'file', 'new'])
        assert.match(await set(name), /is a link that root has not made/);
      assert.deepEqual(readdirSync(root), ['authorized_keys']);
      assert.equal(readFileSync(join(root, 'authorized_keys'), 'utf8'), 'ssh-rsa AAAA root\n');
      assert.match(await set('own'), /new/);
      assert.match(readFileSync(targets.own, 'utf8'), /^ssh-rsa AAAAB3/);
    },
  );

  // A report says that a long name made Salt's status module overflow a buffer.
  await t.test(
    'CVE-2021-33226 - a function with a name of 100,000 letters is not there, and no more',
    async () => {
      const { code, stdout, stderr } = await call(`status.${'A'.repeat(100_000)}`);
      assert.ok(code !== null && code > 0, 'it ends by itself');
      assert.match(`${stdout}${stderr}`.slice(-200), /is not available/);
    },
  );
});

test('known flaws - a master and those who talk to it', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${fleet.path('base')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
    'on_demand_ext_pillar: [libvirt, virtkey, git]',
  ]);
  fleet.write(fleet.path('pillar'), 'top.sls', ['base: {broken: [bad]}']);
  fleet.write(fleet.path('pillar'), 'bad.sls', ["{{ 'x' / 0 }}"]);
  const result = fleet.path('result');
  fleet.write(fleet.path('base'), 'write.sls', [
    `w: {file.managed: [{name: ${result}}, {contents: "{{ salt['pillar.get']('foobar', 'default') }}"}]}`,
  ]);
  await fleet.startMaster();
  const requester = rawRequester(t, fleet.retPort);
  const ask = async (bytes: Buffer): Promise<Value> =>
    decode(await requester.request(bytes, 20_000), 'network');
  const rogue = new Attacker(t, 'rogue', fleet.retPort);
  assert.equal((await rogue.authenticate()).kind, 'accepted');
  const trace = fleet.path('trace');

  // Salt's salt-call ran states with an empty pillar where there was a bad one, and ended with 0.
  await t.test(
    'CVE-2024-37088 - with a bad pillar salt-call runs no states and ends with an error',
    async () => {
      fleet.configureMinion('broken');
      const words = ['-c', fleet.path('broken'), 'state.sls', 'write'];
      const { code, stdout } = await runProgram(join(ours.folder, 'salt-call'), words);
      assert.equal(code, 1, stdout);
      assert.match(stdout, /Pillar failed to render/);
      assert.ok(!existsSync(result));
    },
  );

  // Salt ran git with an address that a minion had sent (`ext::sh -c …`, `--upload-pack=…`).
  await t.test('CVE-2025-22237 - a pillar on demand runs nothing that the minion wrote', async () => {
    const command = `touch ${trace}`;
    const wishes: [string, Value][] = [
      ['git', [`ext::sh -c ${command.replaceAll(' ', '% ')}`]],
      ['git', [`master --upload-pack=${command};`, `file:///x -u ${command}`]],
      ['git', [dict({ [`main ssh://-oProxyCommand=${command}/x`]: [dict({ root: '../..' })] })]],
      ['cmd_yaml', command],
      ['cmd_json', command],
      ['cmd_yaml', dict({ command })],
      ['file_tree', dict({ root_dir: '/etc' })],
      ['http_json', dict({ url: 'http://127.0.0.1:9/' })],
    ];
    for (const [name, settings] of wishes)
      for (const ext of [dict({ [name]: settings }), [dict({ [name]: settings })], name])
        assert.ok(
          isDict(await rogue.send(rogue.request({ cmd: '_pillar', grains: {}, ext }))),
          'it is answered',
        );
    assert.ok(!existsSync(trace));
    assert.deepEqual(
      await fleet
        .run('salt-run', ['pillar.show_pillar', 'rogue', '--out=json'])
        .then((r) => JSON.parse(r.stdout)),
      {},
    );
  });

  // Salt made a path out of the environment that a minion asked for, deleted what it found there, or read another's
  // files.
  await t.test('CVE-2023-20898, CVE-2025-22240 - an environment of a minion is no path', async () => {
    const below = (): string[] =>
      readdirSync(fleet.folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => !/\/log\/|\/rogue|job_cache|cluster\/position/.test(path))
        .sort();
    const before = below();
    const commands = [
      '_file_find',
      '_file_hash',
      '_file_hash_and_stat',
      '_serve_file',
      '_file_list',
      '_file_list_emptydirs',
      '_dir_list',
      '_symlink_list',
    ];
    for (const saltenv of [
      '../../pillar',
      '..',
      '/etc',
      'base/../../pillar',
      'base\0',
      '../m/pki',
      'x'.repeat(5000),
      'blob/../..',
    ])
      for (const cmd of commands) {
        const reply = await rogue.call({ cmd, path: 'master.pem', saltenv, tgt_env: saltenv, loc: 0 });
        const text = JSON.stringify(reply, (_key, value: unknown) =>
          value instanceof Map ? [...value] : value,
        );
        assert.ok(!/PRIVATE|passwd|top\.sls/.test(text), `${cmd} ${saltenv}: ${text}`);
      }
    assert.deepEqual(below(), before);
  });

  // External authentication of Salt could be left out, chosen, outlived or deceived.
  await t.test(
    'CVE-2016-3176, CVE-2017-5192, CVE-2018-15751, CVE-2020-25592, CVE-2021-3144, CVE-2021-25281, CVE-2021-25315, CVE-2022-22967, CVE-2024-38825 - no token and no name with a password opens anything',
    async () => {
      const publish = {
        cmd: 'publish',
        tgt: '*',
        tgt_type: 'glob',
        fun: 'test.ping',
        arg: [],
        ret: '',
        jid: '',
      };
      mkdirSync(fleet.path('m/cache/tokens'), { recursive: true });
      writeFileSync(
        fleet.path('m/cache/tokens', 'a'.repeat(64)),
        '{"expire": 1, "name": "root", "eauth": "pam"}',
      );
      const key = readFileSync(
        join(
          fleet.path('m/cache'),
          readdirSync(fleet.path('m/cache')).find((name) => /^\..*_key$/.test(name)) ?? '',
        ),
        'utf8',
      );
      const proofs: Record<string, Value>[] = [
        { eauth: 'pam', username: 'root', password: 'x', service: 'anything' },
        { eauth: 'auto', username: 'root' },
        { eauth: 'pki', username: 'root', password: readFileSync(certificate('ca.crt'), 'utf8') },
        { eauth: 'sharedsecret', username: 'root', password: '' },
        { token: 'a'.repeat(64) },
        { token: '' },
        { token: '../.root_key' },
      ];
      for (const proof of proofs) {
        const kwargs = new Map<Value, Value>(Object.entries(proof));
        for (const more of [{ kwargs }, { ...proof }, { ...proof, kwargs }]) {
          const reply = await ask(clearBytes({ ...publish, ...more }));
          const error = isDict(reply) ? reply.get('error') : undefined;
          assert.ok(
            isDict(error) && error.get('name') === 'AuthenticationError',
            JSON.stringify(Object.keys(proof)),
          );
        }
        for (const cmd of ['wheel', 'runner']) {
          const reply = await ask(clearBytes({ cmd, fun: 'key.list_all', key, ...proof }));
          assert.ok(
            isDict(reply) && isDict(reply.get('error')),
            `${cmd} takes a key for a log-in that fails`,
          );
        }
        assert.equal(await ask(clearBytes({ cmd: 'mk_token', key, ...proof })), '');
        const known = await ask(clearBytes({ cmd: 'get_token', key, ...proof }));
        assert.ok(
          known === false || (isDict(known) && known.size === 0),
          'what is no token stands for nothing',
        );
        for (const cmd of ['wheel_async', 'runner_async', 'local_batch', 'ssh'])
          assert.deepEqual(
            await ask(clearBytes({ cmd, fun: 'key.list_all', key, ...proof })),
            new Map(),
            cmd,
          );
      }
    },
  );
});
