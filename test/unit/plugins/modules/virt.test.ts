/**
 * Machines of libvirt with a program in the place of virsh, which says what virsh 9.0 says of libvirt's test driver;
 * the answers are those of a real 3006.16 with libvirt's Python library on the same driver.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

const DOMAIN = `<domain type='test'>
  <name>test</name>
  <uuid>6695eb01-f6a4-8304-79aa-97f2502e193f</uuid>
  <memory unit='KiB'>8388608</memory>
  <currentMemory unit='KiB'>2097152</currentMemory>
  <vcpu placement='static'>2</vcpu>
  <os>
    <type arch='i686'>hvm</type>
    <boot dev='hd'/>
  </os>
  <on_poweroff>destroy</on_poweroff>
  <on_reboot>restart</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    <disk type='file' device='disk'>
      <source file='/guest/diskimage1'/>
      <target dev='vda' bus='virtio'/>
    </disk>
    <interface type='network'>
      <mac address='aa:bb:cc:dd:ee:ff'/>
      <source network='default'/>
      <target dev='testnet0'/>
    </interface>
  </devices>
</domain>`;

const PROGRAM = `#!/bin/sh
echo "$*" >> "$0.calls"
[ "$1" = --quiet ] && shift
[ "$1" = --connect ] && shift && shift
case "$*" in
  'list --inactive --name') exit 0;;
  list*) echo test; exit;;
  'domstate test') echo running; exit;;
  'dominfo test') printf 'Name:           test\\nState:          running\\nCPU(s):         2\\nCPU time:       12.3s\\nMax memory:     8388608 KiB\\nUsed memory:    2097152 KiB\\nAutostart:      disable\\n'; exit;;
  'dumpxml test'*) cat "$0.xml"; exit;;
  nodeinfo) printf 'CPU model:           i686\\nCPU(s):              16\\nCPU frequency:       1400 MHz\\nCPU socket(s):       2\\nCore(s) per socket:  2\\nThread(s) per core:  2\\nNUMA cell(s):        2\\nMemory size:         3145728 KiB\\n'; exit;;
  'pool-list --name') exit 0;;
  'start test') echo 'error: Domain is already active' >&2; exit 1;;
  'net-start default') printf "error: Failed to start network default\\nerror: Requested operation is not valid: Network 'default' is already running\\n" >&2; exit 1;;
  define*) cat > "$0.defined";;
  attach-device*) echo 'error: Failed to attach device from /dev/stdin' >&2; echo 'error: not supported' >&2; exit 1;;
esac
`;

type Call = (fun: string, args?: readonly Value[], kwargs?: Dict) => Promise<Value>;

function withVirsh(
  t: TestContext,
  opts: Dict = dict(),
): { call: Call; read: (what: 'calls' | 'defined') => string } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-virsh-'));
  const path = process.env['PATH'];
  writeFileSync(join(folder, 'virsh'), PROGRAM, { mode: 0o755 });
  writeFileSync(join(folder, 'virsh.xml'), DOMAIN);
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const ctx = fakeContext({ opts: new Map([['id', 'm'], ...opts]) });
  return {
    call: (fun, args = [], kwargs = dict()) => ctx.functions.call(`virt.${fun}`, args, kwargs),
    read: (what) => readFileSync(join(folder, `virsh.${what}`), 'utf8'),
  };
}

test('virt - what is told of a machine and of the host is what a real Salt tells', async (t) => {
  const { call } = withVirsh(t);
  assert.deepEqual(await call('list_domains'), ['test']);
  assert.deepEqual(await call('list_inactive_vms'), []);
  assert.deepEqual(await call('vm_state'), dict({ test: 'running' }));
  assert.deepEqual(await call('get_macs', ['test']), ['aa:bb:cc:dd:ee:ff']);
  assert.deepEqual(
    await call('get_nics', ['test']),
    dict({
      'aa:bb:cc:dd:ee:ff': {
        type: 'network',
        mac: 'aa:bb:cc:dd:ee:ff',
        source: { network: 'default' },
        target: 'testnet0',
      },
    }),
  );
  assert.deepEqual(
    await call('node_info'),
    dict({
      cpucores: 2,
      cpumhz: 1400,
      cpumodel: 'i686',
      cpus: 16,
      cputhreads: 2,
      numanodes: 2,
      phymemory: 3072,
      sockets: 2,
    }),
  );
  assert.equal(await call('freecpu'), 14);
  assert.equal(await call('setmem', ['test', 1024]), false, 'not while it runs');
});

test('virt - what libvirt refuses is told in its own words, and a machine that is not there by its name', async (t) => {
  const { call } = withVirsh(t);
  await assert.rejects(call('start', ['test']), /^Error: Domain is already active|Domain is already active$/);
  await assert.rejects(
    call('network_start', ['default']),
    /Requested operation is not valid: Network 'default' is already running/,
  );
  await assert.rejects(call('stop', ['nosuch']), /The VM "nosuch" is not present/);
});

test('virt - the connection is that of the call or of the configuration; a password is refused, and told where it belongs', async (t) => {
  const { call, read } = withVirsh(t, dict({ virt: { connection: { uri: 'test:///default' } } }));
  await call('list_domains');
  await call('list_domains', [], dict({ connection: 'qemu:///session' }));
  assert.match(read('calls'), /--connect test:\/\/\/default list.*\n.*--connect qemu:\/\/\/session list/);
  await assert.rejects(call('list_domains', [], dict({ username: 'joe', password: 'secret' })), /auth\.conf/);
  assert.doesNotMatch(read('calls'), /secret/);
});

test('virt - a machine is changed in its definition; what libvirt refuses of the machine that runs is told', async (t) => {
  const { call, read } = withVirsh(t);
  const nics = [dict({ name: 'eth0', type: 'bridge', source: 'br1', mac: '52:54:00:00:00:02' })];
  const status = await call(
    'update',
    ['test'],
    dict({ cpu: 4, mem: 1024, interfaces: nics, boot_dev: 'network hd' }),
  );
  const defined = read('defined');
  assert.match(defined, /<vcpu placement='static' current='4'>4<\/vcpu>/);
  assert.match(defined, /<memory unit='KiB'>1048576<\/memory>\n {2}<currentMemory unit='KiB'>1048576</);
  assert.match(defined, /<boot dev='network'\/>\n {4}<boot dev='hd'\/>/);
  assert.match(
    defined,
    /<interface type='bridge'>\n {6}<source bridge='br1'\/>\n {6}<mac address='52:54:00:00:00:02'\/>/,
  );
  assert.doesNotMatch(defined, /testnet0/);
  assert.match(defined, /diskimage1/);
  assert.ok(status instanceof Map);
  assert.deepEqual(status.get('errors'), ['not supported']);
  assert.equal(status.get('cpu'), true);
});

test('virt - what the programs cannot do is refused before anything is done', async (t) => {
  const { call, read } = withVirsh(t);
  await assert.rejects(
    call('update', ['test'], dict({ numatune: { memory: { mode: 'strict' } } })),
    /'numatune'/,
  );
  await assert.rejects(call('update', ['test'], dict({ cpu: { maximum: 3 } })), /cpu is a number/);
  await assert.rejects(call('update', ['test'], dict({ boot_dev: "hd'/><x" })), /cannot be started from/);
  assert.doesNotMatch(read('calls'), /define/);
});
