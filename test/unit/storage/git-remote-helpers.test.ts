/** Addresses by which git would run a program, take an option, or wait for ever. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { dict } from '../../../src/python/values/value.ts';
import { RemoteOptions } from '../../../src/storage/git/remote-options.ts';
import { runGit } from '../../../src/storage/git/run-git.ts';
import { fakeContext } from '../../support/module-context.ts';

const ODD = ['fd::0', 'FD::17/foo', 'ext::sh -c "touch /tmp/x" %S', '--upload-pack=touch /tmp/x'];

test('git remotes - an address that needs a helper or is an option is refused with its reason', () => {
  for (const role of ['gitfs', 'git_pillar', 'winrepo'])
    for (const address of [...ODD, 'hg::https://example.com/x', 'transport::address']) {
      const options = new RemoteOptions(address, role, { opts: dict(), known: [] });
      assert.throws(() => options.access(address), /not started for it|would not take as one/, address);
    }
  for (const address of [
    'https://example.com/x.git',
    'git@example.com:x.git',
    'ssh://git@[::1]/x.git',
    'file:///srv/x',
    '/srv/a::b',
  ])
    assert.ok(new RemoteOptions(address, 'gitfs', { opts: dict(), known: [] }).access(address).url !== '');
});

test('git remotes - git itself starts no helper for a repository of the configuration', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-git-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const address of ['fd::0', 'ext::true', 'foo::bar'])
    await assert.rejects(
      runGit(['ls-remote', '--', address], { clock: systemClock, folder }),
      /transport '(?:fd|ext|foo)' not allowed/,
    );
});

test('git remotes - on a minion they are refused as well', async () => {
  const ctx = fakeContext({ clock: systemClock, random: systemRandom });
  for (const address of ODD)
    for (const [fun, keywords] of [
      ['git.ls_remote', { remote: address }],
      ['git.remote_refs', { url: address }],
      ['git.clone', { cwd: '/nowhere/x', url: address }],
      ['git.fetch', { cwd: '/nowhere/x', remote: address }],
      ['git.push', { cwd: '/nowhere/x', remote: address, ref: 'main' }],
      ['git.remote_set', { cwd: '/nowhere/x', url: address }],
    ] as const)
      await assert.rejects(ctx.functions.call(fun, [], dict(keywords)), (error: Error) => {
        assert.match(error.message, /is no address of a repository|cannot begin with/, `${fun} ${address}`);
        return true;
      });
});
