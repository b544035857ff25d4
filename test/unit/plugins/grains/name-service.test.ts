import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createNameService,
  parseHosts,
  parseHostServices,
} from '../../../../src/plugins/grains/core/name-service.ts';
import type { NameService } from '../../../../src/plugins/grains/core/host.ts';
import { fakeHost } from './fake-host.ts';

const HOSTS = `127.0.0.1 localhost
127.0.1.1\tweb1.example.com web1 # comment
10.0.0.5  web1.lan WEB1
::1 ip6-localhost loop
2001:db8::5 web1
`;

type Getent = (args: readonly string[]) => string;

function service(nsswitch: string, getent: Getent, asked: string[] = []): NameService {
  return createNameService(
    fakeHost({
      files: { '/etc/hosts': HOSTS, '/etc/nsswitch.conf': nsswitch },
      programs: {
        getent(args) {
          asked.push(args.join(' '));
          const stdout = getent(args);
          return { retcode: stdout === '' ? 2 : 0, stdout };
        },
      },
    }),
  );
}

const signal = new AbortController().signal;
const files = 'hosts: files myhostname dns\n';

test('grains - the hosts file and the order of services are parsed', () => {
  assert.deepEqual(parseHosts('# x\n\n192.0.2.1 a b # c\nlonely\n'), [
    { address: '192.0.2.1', names: ['a', 'b'] },
  ]);
  assert.deepEqual(parseHostServices('passwd: files\nhosts:  files [NOTFOUND=return] dns # x\n'), [
    'files',
    'dns',
  ]);
  assert.deepEqual(parseHostServices(undefined), ['files', 'dns']);
});

test('grains - the canonical name is the first of its line, else the C library is asked', async () => {
  const asked: string[] = [];
  const names = service(files, () => '192.0.2.8 STREAM db1.example.com\n192.0.2.8 DGRAM', asked);
  assert.equal(await names.canonicalName('web1', signal), 'web1.example.com');
  assert.deepEqual(asked, []);
  assert.equal(await names.canonicalName('db1', signal), 'db1.example.com');
  assert.deepEqual(asked, ['ahosts db1']);
});

test('grains - the C library is asked first where files do not come first', async () => {
  const names = service('hosts: mymachines files\n', () => '192.0.2.8 STREAM other');
  assert.equal(await names.canonicalName('web1', signal), 'other');
});

test('grains - addresses come from every line of the name, each once', async () => {
  const names = service(files, ([database]) =>
    database === 'ahostsv6' ? '::ffff:10.0.0.9 STREAM x\nfe80::1 STREAM x' : '',
  );
  assert.deepEqual(await names.addresses('web1', 4, signal), ['127.0.1.1', '10.0.0.5']);
  assert.deepEqual(await names.addresses('web1', 6, signal), ['2001:db8::5']);
  assert.deepEqual(await names.addresses('db1', 6, signal), ['fe80::1']);
  assert.deepEqual(await names.addresses('nobody', 4, signal), []);
});

test('grains - the IPv4 address of a loopback name is left to the C library', async () => {
  const names = service(files, () => '127.0.0.1 STREAM loop');
  assert.deepEqual(await names.addresses('loop', 4, signal), ['127.0.0.1']);
});

test('grains - an address has the names of its line, else those that the C library tells', async () => {
  const names = service(files, ([, address]) =>
    address === '192.0.2.8' ? '192.0.2.8  db1 db1.example.com' : '',
  );
  assert.deepEqual(await names.namesOf('10.0.0.5', signal), ['web1.lan', 'WEB1']);
  assert.deepEqual(await names.namesOf('192.0.2.8', signal), ['db1', 'db1.example.com']);
  assert.deepEqual(await names.namesOf('192.0.2.9', signal), []);
});
