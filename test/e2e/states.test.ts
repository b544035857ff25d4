/** States on the built programs: applied on two minions, tried, failing, halted and ended, with a custom state. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { Fleet, ours, runProgram, until } from '../support/fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** The state of the guide, a custom module. */
const OWN_STATE = /`\/srv\/salt\/_states\/(\w+\.ts)`:\n\n```ts\n(.*?)```/s;

const SLS = {
  'top.sls': "base: {'*': [web]}\n",
  'web.sls': [
    'first: test.nop',
    'notice:',
    '  note.written:',
    '    - name: {{ pillar.get("folder") }}/{{ grains.id }}.txt',
    '    - text: hello',
    'after:',
    '  test.nop:',
    '    - watch: [{note: notice}]',
  ].join('\n'),
  'bad.sls': 'bad: test.fail_without_changes\nafter:\n  test.nop:\n    - require: [{test: bad}]\n',
  'wrong.sls': 'a:\n  test.nop\n  - b: [\n',
  'slow.sls':
    'first: test.nop\nslow:\n  test.nop:\n    - onlyif: echo $$ > {{ pillar.folder }}/slow.pid; exec sleep 60\n',
};

test('states - are applied on minions, tried, refused side by side, and ended with all they started', async (t) => {
  const fleet = await Fleet.create(t);
  const guide = readFileSync(join(ROOT, 'docs/guides/custom-modules.md'), 'utf8');
  const [, file = '', text = ''] = OWN_STATE.exec(guide) ?? [];
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${fleet.path('srv')}]}`,
    'fileserver_list_cache_time: 0',
  ]);
  for (const [name, content] of [...Object.entries(SLS), [`_states/${file}`, text] as const]) {
    mkdirSync(dirname(fleet.path('srv', name)), { recursive: true });
    writeFileSync(fleet.path('srv', name), content);
  }
  await fleet.startMaster();
  await Promise.all([fleet.joinMinion('m1'), fleet.joinMinion('m2')]);
  const pillar = `pillar={"folder": "${fleet.folder}"}`;

  const tried = await fleet.salt(['*', 'state.apply', pillar, 'test=True']);
  assert.equal(tried.code, 0, tried.stderr);
  assert.match(
    tried.stdout,
    /ID: notice\n {4}Function: note\.written\n {8}Name: \S+m1\.txt\n {6}Result: None/,
  );
  assert.match(tried.stdout, /Succeeded: 3 \(unchanged=1, changed=2\)/);
  assert.ok(!existsSync(fleet.path('m1.txt')));

  const applied = await fleet.salt(['*', 'state.apply', pillar]);
  assert.equal(applied.code, 0, applied.stderr);
  assert.match(applied.stdout, /Summary for m1\n-+\nSucceeded: 3 \(changed=2\)/);
  assert.match(applied.stdout, /Summary for m2\n/);
  assert.match(applied.stdout, /Comment: Watch statement fired\./);
  assert.equal(readFileSync(fleet.path('m2.txt'), 'utf8'), 'hello\n');

  const failing = await fleet.salt(['m1', 'state.apply', 'bad']);
  assert.notEqual(failing.code, 0);
  assert.match(failing.stdout, /Comment: One or more requisite failed: bad\.bad/);
  const wrong = await fleet.salt(['m1', 'state.apply', 'wrong']);
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stdout, /Data failed to compile:\n-+\n {4}Rendering SLS 'base:wrong' failed:/);

  const { stdout } = await fleet.salt(['m1', 'state.apply', 'slow', pillar, '--async']);
  const jid = /\d{20}/.exec(stdout)?.[0] ?? '';
  const pidFile = fleet.path('slow.pid');
  await until('the command of a state runs', () => existsSync(pidFile) && readFileSync(pidFile).length > 0);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const refused = await fleet.salt(['m1', 'state.single', 'test.nop', 'x']);
  assert.match(refused.stdout, new RegExp(`"state\\.apply" is running as PID \\d+ .* with jid ${jid}`));
  assert.notEqual(refused.code, 0);
  await fleet.salt(['m1', 'saltutil.kill_job', jid]);
  await until('the command has ended with its run', () => !existsSync(`/proc/${pid}`));
  const single = await runProgram(join(ours.folder, 'salt-call'), [
    ...['-c', fleet.path('m2'), '--local', '--out', 'json', 'state.single', 'test.succeed_with_changes', 'x'],
  ]);
  assert.equal(single.code, 0, single.stderr);
  assert.match(single.stdout, /"test_\|-x_\|-x_\|-succeed_with_changes"/);
});
