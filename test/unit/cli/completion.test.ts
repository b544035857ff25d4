import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  COMPLETION_SHELLS,
  renderCompletion,
  type CompletionNames,
} from '../../../src/cli/documents/completion.ts';
import { allPrograms } from '../../../src/cli/options/programs.ts';

const names: CompletionNames = {
  programs: allPrograms,
  functions: ['test.ping', 'test.echo', 'cmd.run', 'evil.$(touch x)'],
  runners: ['jobs.active', 'manage.up'],
  outputters: ['json', 'nested', 'yaml'],
};

const root = mkdtempSync(join(tmpdir(), 'brine-completion-'));
after(() => rmSync(root, { recursive: true, force: true }));
writeFileSync(join(root, 'complete.bash'), renderCompletion('bash', names));
writeFileSync(
  join(root, 'salt-key'),
  '#!/bin/sh\nprintf "%s\\n" "web1" "web 2" \'$(touch pwned)\' \'`touch pwned`\' "$*"\n',
);
chmodSync(join(root, 'salt-key'), 0o755);

const bash = spawnSync('bash', ['--version']).status === 0;

/** What bash would offer for a command line whose last word is being typed. */
function offered(...words: string[]): string[] {
  const script =
    `source ./complete.bash\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n` +
    `fn="_brine_\${1//-/_}"\n"$fn" 2>/dev/null\n((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"; true`;
  const run = spawnSync('bash', ['-c', script, 'bash', ...words], {
    cwd: root,
    env: { PATH: `${root}:${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.split('\n').filter(Boolean);
}

test('completion - bash knows options, values, ids and functions', { skip: !bash }, () => {
  assert.deepEqual(offered('salt', '--batch-s'), ['--batch-size', '--batch-safe-limit', '--batch-safe-size']);
  assert.deepEqual(offered('salt', '--watc'), ['--watch']);
  assert.deepEqual(offered('salt', '--out', 'j'), ['json']);
  assert.deepEqual(offered('salt', '--out', '=', 'y'), ['yaml']);
  assert.deepEqual(offered('salt', '--out', '='), ['json', 'nested', 'yaml']);
  assert.deepEqual(offered('salt', '-l', 'warn'), ['warning']);
  assert.deepEqual(offered('salt', 'web'), ['web1', 'web\\ 2']);
  assert.deepEqual(offered('salt', '-t', '5', '-v', 'web1', 'test.'), ['test.ping', 'test.echo']);
  assert.deepEqual(offered('salt', '--timeout', '=', '5', 'web1', 'cmd'), ['cmd.run']);
  assert.deepEqual(offered('salt', 'web1', 'test.ping', 'x'), []);
  assert.deepEqual(offered('salt-run', 'man'), ['manage.up']);
  assert.deepEqual(offered('salt-key', '-l', 'un'), ['unaccepted']);
  assert.deepEqual(offered('salt-call', '-c', './sal'), []);
  assert.deepEqual(offered('salt-call', '--log-file', './sal'), ['./salt-key']);
});

test('completion - the ids asked for are those of the configuration and the action', { skip: !bash }, () => {
  const asked = (...words: string[]): string | undefined => offered(...words).at(-1);
  assert.equal(
    asked('salt', '-c', '/etc/x', ''),
    '-c\\ /etc/x\\ --out=newline_values_only\\ --list=accepted',
  );
  assert.equal(asked('salt-key', '-a', ''), '--out=newline_values_only\\ --list=pre');
  assert.equal(
    asked('salt-key', '--config-dir', '=', '/x', '-d', ''),
    '-c\\ /x\\ --out=newline_values_only\\ --list=all',
  );
});

test(
  'completion - an id that looks like a command is offered as a word and never run',
  { skip: !bash },
  () => {
    assert.deepEqual(offered('salt', '$'), ['\\$\\(touch\\ pwned\\)']);
    assert.ok(offered('salt', '').includes('\\`touch\\ pwned\\`'));
    assert.equal(existsSync(join(root, 'pwned')), false);
  },
);

test('completion - every script is accepted by its shell', () => {
  for (const shell of COMPLETION_SHELLS) {
    const script = renderCompletion(shell, names);
    assert.doesNotMatch(script, /touch x|undefined/);
    for (const program of allPrograms) assert.ok(script.includes(program.name));
    if (spawnSync(shell, ['--version']).status !== 0) continue;
    const checked = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    assert.equal(checked.stderr, '', shell);
  }
});
