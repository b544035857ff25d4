/** Rules of nftables as nft prints them, and entries of sets of addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEntry, optionWords } from '../../../../src/plugins/ipset/module/members.ts';
import { builtRule, handleIn } from '../../../../src/plugins/nftables/module/rule.ts';
import { dict } from '../../../../src/python/values/value.ts';

const LISTED = `table ip filter {
	chain input { # handle 1
		type filter hook input priority 0; policy accept;
		ct state new tcp dport 80 tcp sport 1025-65535 accept # handle 2
		ct state { established, related } accept # handle 4
		tcp dport { 80, 443 } accept # handle 6
		iifname "lo" counter packets 5 bytes 300 accept # handle 7
	}
}`;

test('nftables - a rule is found in the form in which nft prints it', () => {
  const handle = (rule: string): string | undefined => handleIn(rule, LISTED, false);
  assert.equal(handle('ct state { new } tcp dport { 80 } tcp sport { 1025-65535 } accept'), '2');
  assert.equal(handle('ct state { related,established } accept'), '4');
  assert.equal(handle('tcp dport { 443, 80 } accept'), '6');
  assert.equal(handle('meta iifname lo counter accept'), '7');
  assert.equal(handle('tcp dport { 443 } accept'), undefined);
  assert.equal(handle('accept'), undefined, 'a part of a rule is another rule');
});

test('nftables - keywords that have no place in a rule are named', () => {
  const built = builtRule('ip', dict({ proto: 'tcp', dport: '80:90', jump: 'accept', limit: '3/minute' }));
  assert.deepEqual(built, { rule: 'tcp dport { 80-90 } accept', unused: ['limit'] });
});

test('ipset - members stand for addresses, ports and comments as ipset prints them', () => {
  const members = ['10.0.0.1,tcp:80 timeout 4 packets 0', '10.0.0.0/24,udp:53'];
  assert.ok(hasEntry('hash:net,port', members, ['10.0.0.1,80']));
  assert.ok(hasEntry('hash:net,port', members, ['10.0.0.7,udp:53']));
  assert.ok(!hasEntry('hash:net,port', members, ['10.0.0.7,53']));
  assert.ok(hasEntry('hash:ip', ['10.0.0.2 comment "two words"'], ['10.0.0.2 comment two words']));
  assert.ok(!hasEntry('hash:ip', ['10.0.0.2 comment "two words"'], ['10.0.0.2 comment two']));
  assert.ok(!hasEntry('hash:ip', ['10.0.0.1'], ['10.0.0.1-10.0.0.4']), 'one address is no range');
  assert.ok(!hasEntry('hash:ip', ['10.0.0.1'], ['::1']));
  assert.deepEqual(optionWords('timeout 5 comment "a b" nomatch'), [
    ...['timeout', '5', 'comment', 'a b', 'nomatch'],
  ]);
});
