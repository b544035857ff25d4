/** `brine takeover` and `--back` on the machine of a real Salt: nothing is lost, and what fails goes back by itself. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { generatePair } from '../../src/storage/keys/generate.ts';
import { namesIn, ours, runProgram, type Finished, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

/** A machine is taken over and given back some thirty times. */
const LONG_MS = 1_800_000;
const MINIONS = ['m1', 'm2', 'm3'];
/** Together with those of the minions. */
const KEYS = 200;

interop(
  'takeover of a master and three minions, and back',
  async (t, real) => {
    const fleet = await siteOf(t, real);
    const before = await seen(fleet, real);
    assert.equal(before.accepted.length, KEYS);

    await t.test('Brine takes over, and everything is there', async () => {
      const { stdout } = await done(fleet, 'm', '--links', fleet.path('links'));
      assert.match(stdout, /Brine has taken over salt-master on .* All 3 minions .* answer Brine's\./);
      for (const id of MINIONS) await done(fleet, id);
      assert.deepEqual(makersOf(fleet), { brine: 4, salt: 0 });
      for (const id of MINIONS) await untilAnswers(fleet, id, ours);
      const after = await seen(fleet, ours);
      assert.deepEqual({ ...after, jobs: [] }, { ...before, jobs: [] });
      for (const jid of before.jobs) assert.ok(after.jobs.includes(jid), `job ${jid}`);
      const linked = await runProgram(fleet.path('links/salt'), ['-c', fleet.masterDir, 'm1', 'hello.hi']);
      assert.match(linked.stdout, /hi/);
    });

    await t.test('again, it changes nothing', async () => {
      const { stdout } = await done(fleet, 'm');
      assert.match(stdout, /already: nothing was changed/);
    });

    const jid = await echoed(fleet);
    await t.test('Salt comes back, and finds what ran in between', async () => {
      for (const id of MINIONS) await done(fleet, id, '--back');
      const { stdout } = await done(fleet, 'm', '--back', '--format', 'json');
      const told = JSON.parse(stdout) as { result: string; exported: { jobs: number } };
      assert.equal(told.result, 'back');
      assert.ok(told.exported.jobs > 0);
      assert.deepEqual(makersOf(fleet), { brine: 0, salt: 4 });
      assert.deepEqual(namesIn(fleet.path('links')), []);
      for (const id of MINIONS) await untilAnswers(fleet, id, real);
      const after = await seen(fleet, real);
      assert.deepEqual({ ...after, jobs: [] }, { ...before, jobs: [] });
      for (const old of [...before.jobs, jid]) assert.ok(after.jobs.includes(old), `job ${old}`);
      assert.deepEqual(await asked(fleet, real, 'jobs.lookup_jid', jid), { m1: 'between' });
      const none = await brine(fleet, 'm', '--back');
      assert.equal(none.code, 1);
      assert.match(none.stderr, /has not taken over from Salt on .* no way back/);
    });

    await t.test('whoever reads may go away', async () => {
      const { code } = await brineWith(fleet, 'm1', [], (_line, _kill, leave) => leave());
      assert.equal(code, 0);
      assert.deepEqual(makersOf(fleet), { brine: 1, salt: 3 });
      await done(fleet, 'm1', '--back');
      await untilAnswers(fleet, 'm1', real);
    });

    await t.test('a minion that does not come back has it go back by itself', async () => {
      const frozen = pidOf(fleet, 'm3');
      const { code, stdout } = await brineWith(fleet, 'm', ['--timeout', '15'], (line) => {
        if (line.startsWith('Stopping')) process.kill(frozen, 'SIGSTOP');
        if (line.startsWith('Going back')) process.kill(frozen, 'SIGCONT');
      });
      assert.equal(code, 1, stdout);
      assert.match(stdout, /m3 answered before and does not now/);
      assert.match(stdout, /Salt's daemons run again as before; Brine did not take over\./);
      assert.deepEqual(makersOf(fleet), { brine: 0, salt: 4 });
    });

    await t.test('a master of Brine that cannot start has it go back by itself', async () => {
      const other = createServer();
      const { code, stdout } = await brineWith(fleet, 'm', [], (line) => {
        if (line.startsWith('Starting Brine')) other.listen(fleet.publishPort, '127.0.0.1');
        if (line.startsWith('Going back')) other.close();
      });
      assert.equal(code, 1, stdout);
      assert.match(stdout, /Brine's salt-master ended with \d+: /);
      assert.match(stdout, /Salt's daemons run again as before; Brine did not take over\./);
      assert.deepEqual(makersOf(fleet), { brine: 0, salt: 4 });
    });

    await t.test('what is missing ends it before anything is done', async () => {
      appendFileSync(join(fleet.masterDir, 'master'), 'ext_pillar: [{nosuchpillar: {}}]\n');
      const { code, stderr } = await brine(fleet, 'm');
      assert.equal(code, 1);
      assert.match(stderr, /there is no .*'nosuchpillar'/);
      assert.match(stderr, /1 of what this site uses is missing in Brine: see to it, or .* with --force\./);
      assert.deepEqual(makersOf(fleet), { brine: 0, salt: 4 });
      assert.ok(!existsSync(fleet.path('m/brine-takeover')));
    });
  },
  LONG_MS,
);

interop(
  'takeover that is killed at each of its steps',
  async (t, real, version) => {
    if (version !== '3006') return t.skip('one version is enough: what is killed is ours');
    const fleet = await createFleet(t, ['auto_accept: True', 'gather_job_timeout: 3']);
    fleet.configureMinion('m1');
    // both on one folder, as on the machine of a master
    writeFileSync(join(fleet.masterDir, 'minion'), readFileSync(fleet.path('m1/minion')));
    for (const program of ['salt-master', 'salt-minion']) await background(fleet, 'm', program, real);
    await untilAnswers(fleet, 'm1', real);
    const links = ['--links', fleet.path('links')];
    const steps: string[] = [];
    const note = (line: string): void => void (line.endsWith(' …') && steps.push(line));
    assert.equal((await brineWith(fleet, 'm', links, note)).code, 0);
    const forth = steps.splice(0).filter((line) => !line.startsWith('Asking'));
    assert.equal((await brineWith(fleet, 'm', ['--back'], note)).code, 0);
    const back = steps.splice(0);
    assert.ok(forth.length >= 6 && back.length >= 7, JSON.stringify({ forth, back }));
    for (const [index, step] of forth.entries())
      await t.test(`on the way to Brine: ${step}`, async () => {
        await killedAt(fleet, links, step);
        // in turn the other way at once, or to the end first
        if (index % 2 === 1) await whole(fleet, links, 'brine');
        await whole(fleet, ['--back'], 'salt');
      });
    for (const [index, step] of back.entries())
      await t.test(`on the way back: ${step}`, async () => {
        if (makersOf(fleet).salt > 0) await whole(fleet, links, 'brine');
        await killedAt(fleet, ['--back'], step);
        if (index % 2 === 1) await whole(fleet, links, 'brine');
        else await whole(fleet, ['--back'], 'salt');
      });
    if (makersOf(fleet).brine > 0) await whole(fleet, ['--back'], 'salt');
    await untilAnswers(fleet, 'm1', real);
  },
  LONG_MS,
);

/** What both directions must leave as it was. */
interface Seen {
  readonly accepted: readonly string[];
  readonly jobs: readonly string[];
  readonly mine: unknown;
  readonly role: unknown;
  readonly own: unknown;
  readonly schedule: boolean;
}

async function seen(fleet: Fleet, programs: Programs): Promise<Seen> {
  const { stdout } = await fleet.run('salt-key', ['-l', 'acc', '--out', 'json'], programs);
  const { minions } = JSON.parse(stdout) as { minions: string[] };
  return {
    accepted: minions.sort(),
    jobs: Object.keys((await asked(fleet, programs, 'jobs.list_jobs')) as object).sort(),
    mine: await asked(fleet, programs, 'mine.get', 'm*', 'test.echo'),
    role: await fleet.json(['-L', MINIONS.join(), '--static', 'grains.get', 'role'], programs),
    own: await fleet.json(['-L', MINIONS.join(), '--static', 'hello.hi'], programs),
    schedule: existsSync(fleet.path('m1/minion.d/_schedule.conf')),
  };
}

/** A real master with 200 keys and three real minions, all in the background, after a while of work. */
async function siteOf(t: Parameters<Parameters<typeof interop>[1]>[0], real: Programs): Promise<Fleet> {
  const fleet = await createFleet(t, [
    'auto_accept: True',
    'gather_job_timeout: 5',
    'file_roots: {base: [SRV]}',
  ]);
  const config = join(fleet.masterDir, 'master');
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll('SRV', fleet.path('srv')));
  for (const [name, text] of [
    ['_modules/hello.py', 'def hi():\n    return "hi"\n'],
    ['kept.txt', 'kept\n'],
  ] as const) {
    mkdirSync(dirname(fleet.path('srv', name)), { recursive: true });
    writeFileSync(fleet.path('srv', name), text);
  }
  const { publicKey } = await generatePair(2048);
  mkdirSync(fleet.path('m/pki/minions'), { recursive: true });
  for (let at = MINIONS.length; at < KEYS; at++)
    writeFileSync(fleet.path('m/pki/minions', `away${at}`), publicKey);
  await background(fleet, 'm', 'salt-master', real);
  for (const id of MINIONS) {
    fleet.configureMinion(id, ['default_include: minion.d/*.conf', 'mine_functions: {test.echo: [mine]}']);
    await background(fleet, id, 'salt-minion', real);
  }
  for (const id of MINIONS) await untilAnswers(fleet, id, real);
  for (const words of [
    ['saltutil.sync_all'],
    ['grains.setval', 'role', 'web'],
    ['mine.update'],
    ['schedule.add', 'hourly', 'function=test.ping', 'seconds=3600'],
    ['schedule.save'],
  ])
    await fleet.salt(['-L', MINIONS.join(), ...words], real);
  return fleet;
}

async function background(fleet: Fleet, folder: string, program: string, real: Programs): Promise<void> {
  const { code, stderr } = await runProgram(join(real.folder, program), ['-c', fleet.path(folder), '-d']);
  assert.equal(code, 0, stderr);
}

/** A job whose return is told from all others. @returns its id */
async function echoed(fleet: Fleet): Promise<string> {
  await fleet.json(['m1', 'test.echo', 'between']);
  const jobs = (await asked(fleet, ours, 'jobs.list_jobs', 'search_function=test.echo')) as object;
  return Object.keys(jobs).sort().at(-1) ?? '';
}

async function asked(fleet: Fleet, programs: Programs, ...words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await fleet.run('salt-run', ['--out', 'json', ...words], programs);
  assert.equal(code, 0, `${programs.name} salt-run ${words.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

function brine(fleet: Fleet, folder: string, ...words: string[]): Promise<Finished> {
  return runProgram(join(ours.folder, 'brine'), ['takeover', '-c', fleet.path(folder), '--yes', ...words]);
}

async function done(fleet: Fleet, folder: string, ...words: string[]): Promise<Finished> {
  const ended = await brine(fleet, folder, ...words);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  return ended;
}

/** The same, with each line as it comes; the process is handed on, so that it can be killed. */
function brineWith(
  fleet: Fleet,
  folder: string,
  words: readonly string[],
  onLine: (line: string, kill: () => void, leave: () => void) => void,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const args = ['takeover', '-c', fleet.path(folder), '--yes', ...words];
  const child = spawn(join(ours.folder, 'brine'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const start = stdout.lastIndexOf('\n') + 1;
    stdout += chunk.toString();
    for (const line of stdout.slice(start).split('\n').slice(0, -1))
      onLine(
        line,
        () => child.kill('SIGKILL'),
        () => child.stdout.destroy(),
      );
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout })));
}

/** Kills it when it says that it begins the step, which is in its record then. */
async function killedAt(fleet: Fleet, words: readonly string[], step: string): Promise<void> {
  const { code } = await brineWith(fleet, 'm', words, (line, kill) => line === step && kill());
  assert.equal(code, null, `it was not killed at ${step}`);
}

/** Runs it to its end, after which both daemons are of this maker and nothing else runs. */
async function whole(fleet: Fleet, words: readonly string[], maker: 'brine' | 'salt'): Promise<void> {
  await done(fleet, 'm', ...words);
  assert.deepEqual(makersOf(fleet), { brine: 0, salt: 0, [maker]: 2 });
  assert.equal(existsSync(fleet.path('m/brine-takeover')), maker === 'brine');
  assert.equal(namesIn(fleet.path('links')).length, maker === 'brine' ? 5 : 0);
}

/** How many daemons run, by whose they are: first processes, which nobody waits for. */
function makersOf(fleet: Fleet): { brine: number; salt: number } {
  const first = processes(fleet).filter(({ parent }) => parent === 1);
  const salt = first.filter(({ command }) => !command.includes(`${ours.folder}/`)).length;
  return { brine: first.length - salt, salt };
}

function pidOf(fleet: Fleet, id: string): number {
  const found = processes(fleet).find(({ command }) => command.includes(`-c ${fleet.path(id)} `));
  assert.ok(found, `${id} runs`);
  return found.pid;
}

function processes(fleet: Fleet): { pid: number; parent: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return command.includes(`${fleet.folder}/`) ? [{ pid: Number(name), parent, command }] : [];
      } catch {
        return []; // it ended in the meantime
      }
    });
}
