/** Our minion with a real master and one of ours at once. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { ours, type Daemon, type Fleet, type Programs } from '../support/fleet.ts';
import { copyKey } from '../support/masters.ts';
import { BusWatch, createFleet, interop, restartMaster, untilAnswers } from './real-salt.ts';

const OPTIONS = ['auto_accept: True', 'loop_interval: 2', 'gather_job_timeout: 5'];

function withPillar(fleet: Fleet, who: string): void {
  mkdirSync(fleet.path('pillar'));
  writeFileSync(fleet.path('pillar', 'top.sls'), "base:\n  '*':\n    - who\n");
  writeFileSync(fleet.path('pillar', 'who.sls'), `who: ${who}\n`);
  fleet.configureMaster([...OPTIONS, `pillar_roots: {base: [${fleet.path('pillar')}]}`]);
}

interop('our minion serves a real master and one of ours at once', async (t, real) => {
  const theirs = await createFleet(t, OPTIONS);
  withPillar(theirs, 'theirs');
  await theirs.startMaster(real);
  const own = await createFleet(t, OPTIONS);
  withPillar(own, 'own');
  copyKey(theirs, own);
  await own.startMaster();
  const sides: readonly (readonly [Fleet, Programs])[] = [
    [theirs, real],
    [own, ours],
  ];
  const buses = [await BusWatch.open(t, theirs), await BusWatch.open(t, own)];
  const minion = await own.joinMinion('o1', [
    `master: ['127.0.0.1:${theirs.retPort}', '127.0.0.1:${own.retPort}']`,
    'return_retry_timer: 1',
    'return_retry_timer_max: 2',
  ]);
  await minion.logged('Minion is ready to receive requests', 2);
  for (const [fleet, programs] of sides) await untilAnswers(fleet, 'o1', programs);

  await t.test('each has its own pillar, and targets by it', async () => {
    for (const [index, who] of ['theirs', 'own'].entries()) {
      const [fleet, programs] = sides[index] as readonly [Fleet, Programs];
      assert.deepEqual(await fleet.json(['o1', 'pillar.get', 'who'], programs), { o1: who });
      assert.deepEqual(await fleet.json(['-I', `who:${who}`, 'test.ping'], programs), { o1: true });
      assert.deepEqual(await fleet.json(['o1', 'config.get', 'master_port'], programs), {
        o1: fleet.retPort,
      });
    }
  });

  await t.test('an event of the minion reaches both', async () => {
    await own.json(['o1', 'event.send', 'my/tag', '{a: 1}']);
    for (const bus of buses) assert.equal((await bus.event('my/tag')).get('id'), 'o1');
  });

  await t.test(
    'the real one is away: ours is answered at once; a return of the real one waits for it',
    async () => {
      const asked = await theirs.salt(
        ['--async', 'o1', 'cmd.run', 'sleep 4; echo late', 'python_shell=True'],
        real,
      );
      const jid = /\d{20}/.exec(asked.stdout)?.[0] as string;
      await (theirs.master as Daemon).stop();
      await minion.logged(`failed to take the return of job ${jid}`);
      assert.deepEqual(await own.json(['o1', 'test.ping']), { o1: true });
      await restartMaster(theirs, real);
      await untilAnswers(theirs, 'o1', real);

      let found: unknown;
      for (let attempt = 0; attempt < 30 && found === undefined; attempt++) {
        const { stdout } = await theirs.run('salt-run', ['--out=json', 'jobs.lookup_jid', jid], real);
        found = (JSON.parse(stdout) as Record<string, unknown>)['o1'];
      }
      assert.equal(found, 'late');
      const elsewhere = await own.run('salt-run', ['--out=json', 'jobs.lookup_jid', jid]);
      assert.doesNotMatch(elsewhere.stdout, /late/);
    },
  );

  await t.test('ours is away: the real one is answered; both are back', async () => {
    await (own.master as Daemon).stop('SIGKILL');
    await untilAnswers(theirs, 'o1', real);
    await own.startMaster();
    for (const [fleet, programs] of sides) await untilAnswers(fleet, 'o1', programs);
  });
});
