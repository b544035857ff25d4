/** Another version in the place of a minion: signed, tried, trusted or sent back, and power cuts at each step. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { Fleet, runProgram, until } from '../support/fleet.ts';
import { BROKEN, processesOf, release, SideBySide } from '../support/side-by-side.ts';

const OPTIONS = ['brine_upgrade_trial: 8', 'brine_upgrade_memory: 300'];

interface Site {
  readonly fleet: Fleet;
  readonly versions: SideBySide;
  readonly served: string;
  readonly key: string;
}

/** A master that serves releases, and a folder of versions for the minion `web`. */
async function site(t: TestContext): Promise<Site> {
  let served = '';
  const fleet = await Fleet.create(t);
  served = fleet.path('srv');
  fleet.configureMaster([`file_roots: {base: [${served}]}`, 'auto_accept: True']);
  mkdirSync(served);
  await fleet.startMaster();
  const versions = new SideBySide(fleet.path('versions'));
  versions.lay('1.0.0');
  versions.point('1.0.0');
  const key = fleet.path('release.key');
  ok(await release('key', key));
  ok(await release('init', join(served, 'brine'), '--keys', key));
  mkdirSync(fleet.path('web'), { recursive: true });
  writeFileSync(fleet.path('web', 'brine-root.json'), readFileSync(join(served, 'brine/1.root.json')));
  return { fleet, versions, served, key };
}

function ok({ code, stderr }: { code: number | null; stderr: string }): void {
  assert.equal(code, 0, stderr);
}

/** Makes and signs the release of a version, which lies on no minion. */
async function publish({ fleet, served, key }: Site, version: string, how?: string): Promise<void> {
  const aside = new SideBySide(fleet.path('made'));
  aside.lay(version, how === undefined ? undefined : BROKEN.get(how));
  ok(await release('add', join(served, 'brine'), aside.pack(version, fleet.path('archives')), '--keys', key));
  rmSync(fleet.path('made'), { recursive: true });
}

type Outcome = Readonly<Record<string, unknown>>;

async function upgrade(fleet: Fleet, ...words: readonly string[]): Promise<Outcome> {
  const answers = await fleet.json(['web', 'brine.upgrade', ...words]);
  return answers['web'] as Outcome;
}

async function answers(fleet: Fleet, version: string): Promise<void> {
  const said = await fleet.json(['web', 'brine.version']);
  assert.equal((said['web'] as Outcome)['version'], version);
}

test('upgrade - a signed version takes the place, a job under way returns once, and back again', async (t) => {
  const here = await site(t);
  const { fleet, versions } = here;
  await publish(here, '1.1.0');
  fleet.configureMinion('web', OPTIONS);
  const minion = fleet.start('salt-minion', ['-c', fleet.path('web'), '-l', 'info'], versions.programs);
  await minion.logged('Minion is ready to receive requests');
  const gate = fleet.path('gate');
  ok(await runProgram('mkfifo', [gate]));
  const { stdout } = await fleet.salt(['--async', 'web', 'cmd.run', `cat ${gate}`]);
  const jid = /\d{20}/.exec(stdout)?.[0] ?? '';
  assert.equal((await upgrade(fleet, 'test=True'))['result'], null);
  assert.equal(versions.current, '1.0.0');
  const outcome = await upgrade(fleet);
  assert.deepEqual([outcome['result'], outcome['from'], outcome['to']], [true, '1.0.0', '1.1.0']);
  assert.ok(Number(outcome['away_s']) <= 5, `away for ${String(outcome['away_s'])} s`);
  assert.equal(versions.current, '1.1.0');
  await answers(fleet, '1.1.0');
  const running = await fleet.json(['web', 'saltutil.running']);
  assert.ok(JSON.stringify(running['web']).includes(jid), 'the new minion knows of the job of the old one');
  writeFileSync(gate, 'late');
  await until('the job has returned', () => minion.log.includes(`Returning information for job: ${jid}`));
  const found = await fleet.run('salt-run', ['jobs.lookup_jid', jid]);
  assert.match(found.stdout, /late/);
  assert.match(String((await upgrade(fleet))['comment']), /runs already/);
  const back = (await fleet.json(['web', 'brine.go_back']))['web'] as Outcome;
  assert.deepEqual([back['result'], back['to']], [true, '1.0.0']);
  await answers(fleet, '1.0.0');
  assert.match(
    String((await upgrade(fleet, 'version=9.9'))['comment']),
    /There is no release 9.9 that is signed/,
  );
});

test('upgrade - a version broken in five ways goes back by itself, with its reason', async (t) => {
  const here = await site(t);
  const { fleet, versions } = here;
  fleet.configureMinion('web', OPTIONS);
  const minion = fleet.start('salt-minion', ['-c', fleet.path('web'), '-l', 'info'], versions.programs);
  await minion.logged('Minion is ready to receive requests');
  const reasons = new Map([
    ['does not start', /ended by itself \(exit code 3\)/],
    ['does not answer', /not ready to join its master within/],
    ['runs no jobs', /a job, test\.echo/],
    ['crashes later', /ended by itself \(signal SIGABRT\)/],
    ['eats memory', /MB of memory/],
  ]);
  for (const [at, [how, reason]] of [...reasons].entries()) {
    const version = `1.1.${at}`;
    await publish(here, version, how);
    const beganMs = systemClock.monotonicMs();
    const outcome = await upgrade(fleet, `version=${version}`);
    assert.equal(outcome['result'], false, how);
    assert.match(String(outcome['comment']), reason, how);
    await answers(fleet, '1.0.0');
    assert.ok(systemClock.monotonicMs() - beganMs < 60_000, `${how} took longer than 60 s`);
    assert.equal(versions.current, '1.0.0', how);
    assert.equal(existsSync(join(versions.base, 'trial.json')), false, how);
  }
});

test('upgrade - everything killed at each step: one whole version, and the minion runs', async (t) => {
  const here = await site(t);
  const { fleet, versions } = here;
  const trial = join(versions.base, 'trial.json');
  const steps: readonly (readonly [string, (version: string) => boolean])[] = [
    ['it is brought', (version) => existsSync(join(versions.base, `.unpacked-${version}`))],
    ['it proves itself', (version) => existsSync(join(versions.base, version))],
    ['the trial is noted', () => existsSync(trial)],
    [
      'the new one has started',
      () => existsSync(trial) && readFileSync(trial, 'utf8').includes('startTicks'),
    ],
    ['it is trusted', (version) => versions.current === version],
  ];
  fleet.configureMinion('web', OPTIONS);
  const start = (): Promise<unknown> =>
    runProgram(join(versions.programs.folder, 'salt-minion'), ['-c', fleet.path('web'), '-d']);
  t.after(() => killAll(fleet.path('web')));
  ok((await start()) as { code: number; stderr: string });
  for (const [at, [step, isReached]] of steps.entries()) {
    const version = `1.1.${at}`;
    await publish(here, version);
    await fleet.json(['web', 'test.ping']);
    ok(await fleet.salt(['--async', 'web', 'brine.upgrade', `version=${version}`]));
    await until(`${version}: ${step}`, () => isReached(version));
    killAll(fleet.path('web'));
    ok((await start()) as { code: number; stderr: string });
    await until(`${version}: the trial is over`, () => !existsSync(trial));
    const said = (await fleet.json(['web', 'brine.version']))['web'] as Outcome;
    assert.equal(said['version'], versions.current, step);
    assert.equal(processesOf(fleet.path('web')).length >= 1, true, step);
  }
});

/** As a failure of power, for what has this text in its command line. */
function killAll(text: string): void {
  for (const pid of processesOf(text)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }
}

/** How many minions become another version together. */
const FLEET_SIZE = 6;

test('upgrade - a fleet under load: first one, then the others; no job is lost and none runs twice', async (t) => {
  const here = await site(t);
  const { fleet } = here;
  await publish(here, '1.1.0');
  const ids = Array.from({ length: FLEET_SIZE }, (_, at) => `web${at}`);
  const bases = new Map<string, SideBySide>();
  for (const id of ids) {
    mkdirSync(fleet.path(id), { recursive: true });
    writeFileSync(fleet.path(id, 'brine-root.json'), readFileSync(fleet.path('web', 'brine-root.json')));
    fleet.configureMinion(id, OPTIONS);
    const versions = new SideBySide(fleet.path(`versions-${id}`));
    versions.lay('1.0.0');
    versions.point('1.0.0');
    bases.set(id, versions);
    const minion = fleet.start('salt-minion', ['-c', fleet.path(id), '-l', 'info'], versions.programs);
    await minion.logged('Minion is ready to receive requests');
  }
  let isOver = false;
  const rollOut = fleet
    .run('salt-run', ['brine.upgrade', 'web*', 'canary=1', 'batch=50%', '--out=json'])
    .finally(() => (isOver = true));
  const jobs: number[] = [];
  const silent: string[] = [];
  while (!isOver) {
    const job = jobs.push(jobs.length + 1);
    const line = `echo ${job} >>${fleet.path('ran')}-{{ grains.id }}`;
    const said = await fleet.json(['web*', 'cmd.run', line, 'template=jinja']);
    for (const id of ids) if (said[id] !== '') silent.push(`${job} ${id} ${JSON.stringify(said[id])}`);
  }
  const { code, stdout } = await rollOut;
  assert.equal(code, 0, stdout);
  // each step is told before
  const last =
    stdout
      .trim()
      .split(/\n(?=\{)/)
      .at(-1) ?? '';
  const outcomes = JSON.parse(last) as Record<string, Outcome>;
  for (const id of ids) {
    assert.deepEqual([outcomes[id]?.['result'], bases.get(id)?.current], [true, '1.1.0'], id);
    assert.ok(
      Number(outcomes[id]?.['away_s']) <= 5,
      `${id} was away for ${String(outcomes[id]?.['away_s'])} s`,
    );
  }
  assert.deepEqual(silent, []);
  for (const id of ids) {
    const ran = readFileSync(`${fleet.path('ran')}-${id}`, 'utf8')
      .trim()
      .split('\n')
      .map(Number);
    assert.deepEqual(
      ran.sort((a, b) => a - b),
      jobs,
      id,
    );
  }

  await publish(here, '1.2.0', 'does not start');
  const broken = await fleet.run('salt-run', ['brine.upgrade', 'web*', 'canary=1', '--out=json']);
  assert.notEqual(broken.code, 0);
  const told = JSON.parse(
    broken.stdout
      .trim()
      .split(/\n(?=\{)/)
      .at(-1) ?? '',
  ) as Record<string, Outcome>;
  assert.deepEqual(
    ids.map((id) => told[id]?.['result']),
    [false, ...ids.slice(1).map(() => null)],
  );
  assert.match(String(told['web0']?.['comment']), /ended by itself/);
  assert.equal(told['web1']?.['comment'], 'Not tried, since it went wrong on web0.');
  assert.deepEqual(
    ids.map((id) => bases.get(id)?.current),
    ids.map(() => '1.1.0'),
  );
});
