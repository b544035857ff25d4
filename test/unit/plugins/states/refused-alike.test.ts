/** What a run refuses is refused in test mode as well, and nothing is left behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { localMinion, type LocalMinion } from '../../../support/local-minion.ts';

interface Told {
  readonly result: boolean | null;
  readonly comment: string;
}

/** What states of one SLS say, in test mode and in a run. */
async function bothWays(
  t: TestContext,
  sls: (minion: LocalMinion) => string,
  look: (name: string, told: Told, minion: LocalMinion) => void,
): Promise<void> {
  const minion = localMinion(t);
  minion.write('srv/s.sls', sls(minion));
  for (const mode of ['test=True', 'test=False']) {
    const { ret } = await minion.run('state.apply', 's', mode);
    const states = Object.entries(ret as Record<string, Told>);
    assert.ok(states.length > 0);
    for (const [tag, told] of states) look(`${tag.split('_|-')[1]} ${mode}`, told, minion);
  }
}

test('refused alike - file.replace tears no characters of a text apart', async (t) => {
  const patterns = ["''", 'q*', '\\xbc'];
  await bothWays(
    t,
    (minion) => {
      writeFileSync(minion.path('f'), 'grün\n');
      return patterns
        .map(
          (pattern, i) =>
            `s${i}: {file.replace: [{name: ${minion.path('f')}}, {pattern: ${pattern}}, {repl: x}]}\n`,
        )
        .join('');
    },
    (name, { result, comment }, minion) => {
      assert.equal(result, false, name);
      assert.match(comment, /would tear characters of .*\/f apart/, name);
      assert.equal(readFileSync(minion.path('f'), 'utf8'), 'grün\n');
    },
  );
});

test('refused alike - a folder is no file of keys, for users and for hosts', async (t) => {
  const key = 'AAAAB3NzaC1yc2EAAAADAQABAAAAgQCx';
  await bothWays(
    t,
    (minion) => {
      mkdirSync(minion.path('d'));
      const config = `{user: root}, {enc: ssh-rsa}, {config: ${minion.path('d')}}`;
      return `k: {ssh_auth.present: [{name: ${key}}, ${config}]}
a: {ssh_auth.absent: [{name: ${key}}, ${config}]}
h: {ssh_known_hosts.present: [{name: h.example}, {key: ${key}}, ${config}]}
g: {ssh_known_hosts.absent: [{name: h.example}, {user: root}, {config: ${minion.path('d')}}]}
`;
    },
    (name, { result, comment }) => {
      assert.equal(result, false, `${name}: ${comment}`);
      assert.match(comment, /config must be the path of a file, and .*\/d is a folder/, name);
    },
  );
});

test('refused alike - a value that the kernel does not take is not written down', async (t) => {
  await bothWays(
    t,
    (minion) =>
      `s: {sysctl.present: [{name: kernel.brine_has_none}, {value: '1'}, {config: ${minion.path('sysctl.conf')}}]}\n`,
    (name, { result, comment }, minion) => {
      assert.equal(result, false, name);
      assert.match(comment, /does not exist/);
      assert.equal(existsSync(minion.path('sysctl.conf')), false, name);
    },
  );
});

test('refused alike - npm takes no name with a blank, augeas no context outside of its tree', async (t) => {
  const path = process.env['PATH'];
  t.after(() => {
    process.env['PATH'] = path;
  });
  await bothWays(
    t,
    (minion) => {
      mkdirSync(minion.path('bin'));
      for (const [name, says] of [
        ['npm', `case "$1" in --version) echo 9.2.0;; *) echo '{}';; esac`],
        ['augtool', 'echo 1.14.0'],
      ] as const)
        writeFileSync(minion.path('bin', name), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
      process.env['PATH'] = `${minion.path('bin')}:${path}`;
      return `n: {npm.installed: [{pkgs: [left-pad, 'a b']}, {dir: ${minion.path('srv')}}]}
a: {augeas.change: [{context: wrong}, {changes: ['set a b']}]}
`;
    },
    (name, { result, comment }) => {
      assert.equal(result, false, `${name}: ${comment}`);
      assert.match(comment, /^'a b' names no package of npm|^context must be a path of the tree/, name);
    },
  );
});
