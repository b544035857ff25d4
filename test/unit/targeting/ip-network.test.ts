import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isInNetwork, parseIpAddress, parseIpNetwork } from '../../../src/targeting/ip-network.ts';

const inside = (address: string, network: string): boolean | undefined => {
  const [a, n] = [parseIpAddress(address), parseIpNetwork(network)];
  return a && n && isInNetwork(a, n);
};

test('ip-network - membership in both families', () => {
  assert.equal(inside('10.1.2.3', '10.0.0.0/8'), true);
  assert.equal(inside('11.1.2.3', '10.0.0.0/8'), false);
  assert.equal(inside('10.1.2.3', '10.1.2.0/255.255.255.0'), true);
  assert.equal(inside('10.1.2.3', '10.1.2.0/0.0.0.255'), true);
  assert.equal(inside('10.1.3.3', '10.1.2.0/23'), true);
  assert.equal(inside('10.1.4.3', '10.1.2.0/23'), false);
  assert.equal(inside('1.2.3.4', '0.0.0.0/0'), true);
  assert.equal(inside('fe80::1', 'fe80::/10'), true);
  assert.equal(inside('fec0::1', 'fe80::/10'), false);
  assert.equal(inside('::ffff:10.0.0.1', '10.0.0.0/8'), false);
  assert.equal(inside('::ffff:10.0.0.1', '::ffff:a00:0/104'), true);
  assert.equal(inside('FE80:0:0::0001', 'fe80::1'), true);
  assert.equal(inside('fe80::1%eth0', 'fe80::1'), false);
  assert.equal(inside('fe80::1%eth0', 'fe80::/64'), true);
});

test('ip-network - what is no address or network is refused, as by Python', () => {
  const addresses = [
    '',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.-4',
    '1..2.3',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '٣.2.3.4',
    ':',
    ':::',
    '1:2',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1.2.3',
    '1.2.3.4::',
    ':1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:',
    '::1%',
    '::1%a%b',
    'x'.repeat(1e6),
  ];
  for (const text of addresses) assert.equal(parseIpAddress(text), undefined, text.slice(0, 50));
  const networks = [
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.255.0',
    '::/129',
    '::/::',
    'fe80::1/64',
    '/8',
    '10.0.0.0/ 8',
    '10.0.0.0/+8',
  ];
  for (const text of networks) assert.equal(parseIpNetwork(text), undefined, text);
});

test('ip-network - property: every address lies in the network of its own leading bits', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (text, length) => {
      const bits = text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const kept = length === 0 ? 0 : ((bits >>> (32 - length)) << (32 - length)) >>> 0;
      const base = [24, 16, 8, 0].map((shift) => (kept >>> shift) & 255).join('.');
      assert.equal(inside(text, `${base}/${length}`), true);
    }),
  );
  fc.assert(fc.property(fc.ipV6(), (text) => assert.equal(inside(text, '::/0'), true)));
});
