/**
 * Engines and processes of a site that are killed again and again: they are back, later each time, and what they have
 * accepted is not lost.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fleet, freePort, until, type Daemon } from '../support/fleet.ts';

const POSTS = 300;

test('engines - what a webhook has accepted is reacted to once, though the engine and the reactor are killed', async (t) => {
  const fleet = await Fleet.create(t);
  const port = await freePort();
  const out = fleet.path('out');
  const beats = fleet.path('beats');
  for (const path of [out, beats]) writeFileSync(path, '');
  fleet.write(fleet.path('reactor'), 'hook.sls', [
    'job:',
    '  local.cmd.run:',
    '    - tgt: one',
    '    - args:',
    `      - cmd: "echo {{ tag.split('/')[-1] }} >> ${out}"`,
    '      - python_shell: True',
  ]);
  fleet.configureMaster([
    'auto_accept: True',
    'engines:',
    `  - webhook: {address: 127.0.0.1, port: ${port}}`,
    'ext_processes:',
    `  - beats: {cmd: [sh, -c, 'echo beat >> ${beats}; exec sleep 1000']}`,
    'reactor:',
    `  - salt/engines/hook/*: ${fleet.path('reactor', 'hook.sls')}`,
  ]);
  const master = await fleet.startMaster();
  await master.logged('The reactor is ready');
  await master.logged('The webhook engine listens');
  await fleet.joinMinion('one');
  const linesOf = (path: string): string[] =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  /** True when the webhook said that the event was taken. */
  const post = async (number: number): Promise<boolean> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/${number}`, { method: 'POST', body: '{}' });
      return answer.status === 200;
    } catch {
      return false;
    }
  };
  const accepted = new Set<string>();
  const kills = new Map([
    [50, 'salt-master Engine(webhook)'],
    [110, 'salt-master Reactor'],
    [170, 'salt-master Engine(webhook)'],
    [171, 'salt-master ExtProcess(beats)'],
    [230, 'salt-master Reactor'],
    [231, 'salt-master Engine(webhook)'],
  ]);
  for (let number = 0; number < POSTS; number++) {
    const posted = post(number);
    kill(master, kills.get(number));
    if (await posted) accepted.add(String(number));
    else await master.logged('The webhook engine listens', 1 + listeningAfter(kills, number));
  }
  await until('each that was accepted is reacted to', () => {
    const done = new Set(linesOf(out));
    return [...accepted].every((number) => done.has(number));
  });
  const done = linesOf(out);
  assert.equal(new Set(done).size, done.length, 'none twice');
  t.diagnostic(`${accepted.size} of ${POSTS} accepted, ${done.length} reactions`);
  assert.ok(accepted.size >= POSTS - 20, String(accepted.size));
  await until('the process of the site is back', () => linesOf(beats).length === 2);
});

/** How often the engine was killed up to a post. */
function listeningAfter(kills: ReadonlyMap<number, string>, number: number): number {
  return [...kills].filter(([at, title]) => at <= number && title.includes('webhook')).length;
}

function kill(daemon: Daemon, title: string | undefined): void {
  const pid = title === undefined ? undefined : daemon.children().get(title);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}
