/**
 * docs/guides/cluster.md, followed word for word: from three empty machines to a master that is drained and replaced.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findProgram } from '../../scripts/database-programs.mjs';
import { untilAllAnswer } from '../support/cluster/stage.ts';
import { certificate } from '../support/database-servers.ts';
import { Daemon, Fleet, freePort, namesIn, until } from '../support/fleet.ts';

const GUIDE = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'docs/guides/cluster.md');
const PASSWORD = 'a password of the test';
const ANSWER_MS = 30_000;
const FINGERPRINT = /fingerprint=[0-9a-f:]+/;

/** The blocks of code of the guide, in order, by the section's title; each is taken once. */
class Guide {
  readonly #blocks = new Map<string, string[]>();

  constructor(text: string) {
    let [title, block]: [string, string[] | undefined] = ['', undefined];
    for (const line of text.split('\n'))
      if (line.startsWith('```')) {
        if (block !== undefined)
          this.#blocks.set(title, [...(this.#blocks.get(title) ?? []), block.join('\n')]);
        block = block === undefined ? [] : undefined;
      } else if (block !== undefined) block.push(line);
      else if (line.startsWith('## ')) title = line.slice(3);
  }

  /** The next block of a section. */
  next(title: string): string {
    const block = this.#blocks.get(title)?.shift();
    assert.ok(block !== undefined, `the guide has no further block in ${title}`);
    return block;
  }

  get left(): string[] {
    return [...this.#blocks.values()].flat();
  }
}

/** What stands for three machines here: their addresses are ports, and their root is a folder. */
interface Places {
  readonly client: ReadonlyMap<string, number>;
  readonly routes: ReadonlyMap<string, number>;
  readonly monitoring: ReadonlyMap<string, number>;
}

/** The line that nats-server has known since 2.10; the one of this machine may be older, as the guide says. */
const SYNCING = ', sync_interval: always';

function canSync(): boolean {
  const said = spawnSync(findProgram('nats-server') ?? 'nats-server', ['--version'], {
    encoding: 'utf8',
  }).stdout;
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(said) ?? [];
  return Number(major) > 2 || Number(minor) >= 10;
}

function here(text: string, { client, routes, monitoring }: Places, name: string, folder: string): string {
  return text
    .replaceAll('server_name: n1', `server_name: ${name}`)
    .replace(/nats:\/\/n2:6222, nats:\/\/n3:6222/, () =>
      [...routes]
        .filter(([other]) => other !== name)
        .map(([, port]) => `nats://127.0.0.1:${port}`)
        .join(', '),
    )
    .replace(SYNCING, canSync() ? SYNCING : '')
    .replaceAll('0.0.0.0:8222', `127.0.0.1:${monitoring.get(name)}`)
    .replace(/https:\/\/(n\d):8222/g, (_, other: string) => `https://127.0.0.1:${monitoring.get(other)}`)
    .replaceAll('0.0.0.0:4222', `127.0.0.1:${client.get(name)}`)
    .replaceAll('0.0.0.0:6222', `127.0.0.1:${routes.get(name)}`)
    .replace(/tls:\/\/(n\d):4222/g, (_, other: string) => `tls://127.0.0.1:${client.get(other)}`)
    .replaceAll('/var/lib/nats', join(folder, 'nats'))
    .replaceAll(/\/etc\/nats\/n1\.(crt|key)/g, (_, kind: string) => certificate(`address.${kind}`))
    .replaceAll('/etc/salt/nats-ca.pem', certificate('address.crt'))
    .replaceAll('…', PASSWORD);
}

/** One machine with a master. */
class Machine {
  readonly name: string;
  readonly fleet: Fleet;

  constructor(name: string, fleet: Fleet) {
    this.name = name;
    this.fleet = fleet;
  }

  /** Types the lines of a block, one after the other. */
  async type(block: string): Promise<string> {
    let said = '';
    for (const line of block.split('\n')) {
      const [program = '', ...words] = line.split(' ');
      const { code, stdout, stderr } = await this.fleet.run(program, words);
      assert.equal(code, 0, `${this.name}: ${line}\n${stdout}${stderr}`);
      said += stdout;
      if (program === 'salt-master')
        await until(`${this.name} is up`, () =>
          existsSync(this.fleet.path('m', 'run', 'master_event_pub.ipc')),
        );
    }
    return said;
  }

  /** Ends the master, as the system's service manager does. */
  async stop(): Promise<void> {
    const path = this.fleet.path('m', 'pid');
    if (!existsSync(path)) return;
    const pid = Number(readFileSync(path, 'utf8'));
    process.kill(pid, 'SIGTERM');
    await until(`${this.name} has ended`, () => !existsSync(`/proc/${pid}`));
  }
}

/** @returns a machine with a configured master, whose daemons end with the test */
async function machineOf(t: TestContext, name: string, option: string): Promise<Machine> {
  const machines: Machine[] = [];
  t.after(() => machines[0]?.stop());
  const fleet = await Fleet.create(t, [...option.split('\n'), `  member: ${name}`]);
  const machine = new Machine(name, fleet);
  machines.push(machine);
  return machine;
}

/** Section 3: what is typed on the new machine and on a member. */
async function join3(
  blocks: readonly string[],
  fresh: Machine,
  member: Machine,
  print: string,
): Promise<void> {
  const [joinLine = '', acceptLines = '', start = ''] = blocks;
  const words = joinLine.replace(/fingerprint=<[^>]*>/, print).split(' ');
  assert.equal(words.shift(), 'salt-run');
  const joining = fresh.fleet.start('salt-run', ['-c', fresh.fleet.masterDir, ...words]);
  await joining.logged('fingerprint=');
  const own = FINGERPRINT.exec(joining.log)?.[0] ?? '';
  const said = await member.type(
    acceptLines.replace('master2', fresh.name).replace(/fingerprint=<[^>]*>/, own),
  );
  assert.match(said, new RegExp(fresh.name));
  assert.equal(await joining.exited, 0, joining.log);
  assert.match(await fresh.type(start), new RegExp(`${fresh.name}:`));
}

test('cluster - the guide, word for word', { timeout: 240_000 }, async (t) => {
  const guide = new Guide(readFileSync(GUIDE, 'utf8'));
  const names = ['n1', 'n2', 'n3'];
  const portsOf = async (): Promise<Map<string, number>> =>
    new Map(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
  const places = { client: await portsOf(), routes: await portsOf(), monitoring: await portsOf() };

  // 1. NATS
  const server = guide.next('1. NATS');
  const natsFleet = await Fleet.create(t);
  for (const name of names) {
    const folder = natsFleet.path(name);
    mkdirSync(folder, { recursive: true });
    natsFleet.write(folder, 'nats-server.conf', [here(server, places, name, folder)]);
    const program = findProgram('nats-server') ?? 'nats-server';
    natsFleet.daemons.push(new Daemon(name, program, ['-c', join(folder, 'nats-server.conf')]));
  }
  for (const daemon of natsFleet.daemons) await daemon.logged('metadata leader');

  // 2. The first master, which has run alone until now and has a job and a minion
  const option = here(guide.next('2. The first master'), places, '', '');
  const master1 = await machineOf(t, 'master1', option);
  const { fleet } = master1;
  assert.match(await master1.type(guide.next('2. The first master')), /The cluster fleet1 is made/);
  const print = FINGERPRINT.exec(
    `fingerprint=${clusterFingerprint(await master1.type('salt-run cluster.status'))}`,
  );

  // 3. Every further master
  const joining = [1, 2, 3].map(() => guide.next('3. Every further master'));
  const [master2, master3] = [await machineOf(t, 'master2', option), await machineOf(t, 'master3', option)];
  for (const machine of [master2, master3]) await join3(joining, machine, master1, print?.[0] ?? '');

  // Minions
  const all = [master1, master2, master3];
  const list = guide.next('Minions').replace(/master(\d)/g, (word, nth: string) => {
    const port = all[Number(nth) - 1]?.fleet.retPort;
    return port === undefined ? word : `'127.0.0.1:${port}'`;
  });
  for (const [index, { fleet: home }] of all.entries()) {
    const id = `web${index}`;
    // each begins with another one of the list, as a shuffled list does
    const line = list.replace(/\[(.*)\]/, (_, given: string) => {
      const ports = given.split(', ');
      return `[${[...ports.slice(index), ...ports.slice(0, index)].join(', ')}]`;
    });
    const minion = home.startMinion(id, [line, 'master_type: failover', 'master_alive_interval: 1']);
    await until('the key waits', () => namesIn(fleet.path('m', 'pki', 'minions_pre')).includes(id));
    await fleet.run('salt-key', ['-y', '-a', id]);
    await minion.logged('Minion is ready to receive requests');
  }
  const ids = ['web0', 'web1', 'web2'];
  for (const machine of all) await untilAllAnswer(machine.fleet, ids, ANSWER_MS);

  // Replacing a master
  await master3.type(guide.next('Replacing a master'));
  for (const machine of all) await untilAllAnswer(machine.fleet, ids, ANSWER_MS);
  assert.match(await master1.type('salt-run cluster.status'), /draining:\n\s+True/);
  await master3.stop();
  await master3.type(guide.next('Replacing a master'));
  const fresh = await machineOf(t, 'master3', option);
  await join3(joining, fresh, master2, print?.[0] ?? '');
  for (const machine of [master1, master2, fresh]) await untilAllAnswer(machine.fleet, ids, ANSWER_MS);
  const key = (machine: Machine): string =>
    readFileSync(machine.fleet.path('m', 'pki', 'master.pub'), 'utf8');
  assert.equal(key(fresh), key(master1));
  assert.deepEqual(guide.left, [], 'there is nothing in the guide that was not done');
});

/** What `cluster.status` shows. */
function clusterFingerprint(status: string): string {
  const found = /fingerprint:\n\s+([0-9a-f:]+)/.exec(status)?.[1];
  assert.ok(found !== undefined, status);
  return found;
}
