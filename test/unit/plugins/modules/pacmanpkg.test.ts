/** `pkg` with pacman: what the true pacman says is told as Salt 3006.16 tells it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../../support/call-answers.ts';
import { packageHost, testRecordedPackages } from '../../../support/recorded-packages.ts';

const GRAINS = { os: 'Arch', os_family: 'Arch', osarch: 'x86_64', kernel: 'Linux' };

testRecordedPackages('pacman', {
  table: 'pacmanpkg',
  programs: ['pacman'],
  recorded: 'pacman-programs.json',
  host: (t) => packageHost(t, GRAINS),
});

test('pkg with pacman - words that it would take for options are refused', async (t) => {
  const { ctx } = packageHost(t, GRAINS);
  const refused = await answerOf('pkg.install', ctx, ['--root=/x']);
  assert.match('error' in refused ? refused.error : '', /cannot begin with '-'/);
});
