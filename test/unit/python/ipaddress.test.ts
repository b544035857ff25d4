import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressNumber,
  addressOfNumber,
  broadcastAddress,
  compareNetworks,
  ipAddress,
  ipAddressText,
  ipNetwork,
  ipNetworkText,
  isInNetwork,
  netmask,
  networkSize,
  parseIpAddress,
  parseIpNetwork,
  reversePointer,
} from '../../../src/python/ipaddress.ts';
import { isLinkLocal, isLoopback, isPrivate } from '../../../src/python/ipaddress-kinds.ts';

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

test('ip-network - texts, masks and ends of networks, as Python gives them', () => {
  const shown = (text: string): string[] => {
    const network = ipNetwork(text, false);
    const ends = [netmask(network), broadcastAddress(network)].map(ipAddressText);
    return [ipNetworkText(network), ...ends, String(networkSize(network))];
  };
  assert.deepEqual(shown('10.1.2.3/255.255.254.0'), ['10.1.2.0/23', '255.255.254.0', '10.1.3.255', '512']);
  assert.deepEqual(shown('10.1.2.3'), ['10.1.2.3/32', '255.255.255.255', '10.1.2.3', '1']);
  assert.deepEqual(shown('0.0.0.0/0'), ['0.0.0.0/0', '0.0.0.0', '255.255.255.255', '4294967296']);
  assert.deepEqual(shown('2001:db8::1/126'), [
    '2001:db8::/126',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffc',
    '2001:db8::3',
    '4',
  ]);
  assert.throws(() => ipNetwork('10.0.0.1/8'), {
    type: 'ValueError',
    message: '10.0.0.1/8 has host bits set',
  });
  assert.throws(() => ipAddress('10.1'), {
    message: "'10.1' does not appear to be an IPv4 or IPv6 address",
  });
  const order = ['::/8', '10.0.0.0/9', '10.0.0.0/8', '9.0.0.0/8'].map((text) => ipNetwork(text));
  assert.deepEqual(order.sort(compareNetworks).map(ipNetworkText), [
    '9.0.0.0/8',
    '10.0.0.0/8',
    '10.0.0.0/9',
    '::/8',
  ]);
});

test('ip-network - texts, numbers and kinds of addresses, as Python gives them', () => {
  const text = (given: string): string => ipAddressText(ipAddress(given));
  assert.equal(text('FE80:0:0:0:1:0:0:1%eth0'), 'fe80::1:0:0:1%eth0');
  assert.equal(text('1:0:0:2:0:0:0:3'), '1:0:0:2::3');
  assert.equal(text('::ffff:10.0.0.1'), '::ffff:a00:1');
  assert.equal(text('1:0:2:3:4:5:6:7'), '1:0:2:3:4:5:6:7');
  assert.equal(addressNumber(ipAddress('10.0.0.1')), 167772161n);
  assert.equal(ipAddressText(addressOfNumber(1n, 6)), '::1');
  assert.equal(reversePointer(ipAddress('172.17.0.4')), '4.0.17.172.in-addr.arpa');
  assert.match(
    reversePointer(ipAddress('2001:db8::1')),
    /^1\.0\.0\.0\..*\.8\.b\.d\.0\.1\.0\.0\.2\.ip6\.arpa$/,
  );
  const kinds = (given: string): boolean[] =>
    [isPrivate, isLoopback, isLinkLocal].map((is) => is(ipAddress(given)));
  assert.deepEqual(kinds('172.16.3.4'), [true, false, false]);
  assert.deepEqual(kinds('::1'), [true, true, false]);
  assert.deepEqual(kinds('fe80::1%eth0'), [true, false, true]);
  assert.deepEqual(kinds('8.8.8.8'), [false, false, false]);
});
