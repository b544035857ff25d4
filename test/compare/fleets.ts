/**
 * The two fleets that are compared: one of a real Salt, one of ours, with the same three minions and the same
 * configuration.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Fleet, ours, until, namesIn, type Finished, type Programs } from '../support/fleet.ts';

/** Our programs: of this checkout, or of the folder that `BRINE_PROGRAMS` names. */
export const ownPrograms: Programs = { name: 'ours', folder: process.env['BRINE_PROGRAMS'] ?? ours.folder };

/** The minions, with the grains that targets are tried on. */
const MINIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['web1', ['roles: [web, edge]', 'dc: {name: eu, rack: 7}', 'tier: Front', 'odd: "a:b"']],
  ['web2', ['roles: [web]', 'dc: {name: us, rack: 8}', 'tier: front', 'v6: "fe80::1"']],
  ['db1', ['roles: [db]', 'dc: {name: eu, rack: 7}', 'tier: back', 'flag: false', 'empty: ""']],
]);

const MASTER = [
  'gather_job_timeout: 3',
  'auto_accept: True',
  'nodegroups:',
  '  webs: "web1 web2"',
  '  weblist: "L@web1,web2"',
  '  eu: "G@dc:name:eu"',
  '  euwebs: "N@eu and web*"',
  '  lists: [web1, db1]',
  '  loop: "N@loop or web1"',
  '  notdb: "* and not db1"',
];

const PILLAR = {
  'top.sls': ["base: {'*': [all], 'web*': [web], 'db*': [db]}"],
  'all.sls': ['site: Main', 'levels: {one: {two: three}}'],
  'web.sls': ['role: web', 'ports: [80, 443]'],
  'db.sls': ['role: database', 'ports: [5432]'],
} as const;

/** One of the two. */
export class ComparedFleet {
  readonly programs: Programs;
  readonly #fleet: Fleet;

  private constructor(programs: Programs, fleet: Fleet) {
    this.programs = programs;
    this.#fleet = fleet;
  }

  /**
   * Starts master and minions, and waits until all three answer.
   * @param more lines of the master's configuration
   */
  static async start(
    context: Pick<TestContext, 'after'>,
    programs: Programs,
    basePort: number,
    more: readonly string[] = [],
  ): Promise<ComparedFleet> {
    const fleet = await Fleet.create(context);
    fleet.publishPort = basePort;
    fleet.retPort = basePort + 1;
    const pillar = fleet.path('pillar');
    fleet.configureMaster([
      ...MASTER,
      ...more,
      `pillar_roots: {base: [${pillar}]}`,
      `file_roots: {base: [${fleet.path('srv')}]}`,
    ]);
    mkdirSync(pillar, { recursive: true });
    mkdirSync(fleet.path('srv'), { recursive: true });
    for (const [name, lines] of Object.entries(PILLAR))
      writeFileSync(join(pillar, name), `${lines.join('\n')}\n`);
    const compared = new ComparedFleet(programs, fleet);
    await compared.#startAll();
    return compared;
  }

  /** The folder, which differs from run to run. */
  get folder(): string {
    return this.#fleet.folder;
  }

  /** Runs a program, `salt` for one, with the master's configuration. */
  run(program: string, args: readonly string[], input: string): Promise<Finished> {
    return this.#fleet.run(program, args, this.programs, input);
  }

  async #startAll(): Promise<void> {
    const fleet = this.#fleet;
    await fleet.startMaster(this.programs);
    const daemons = [...MINIONS].map(([id, grains]) =>
      fleet.startMinion(id, ['grains:', ...grains.map((line) => `  ${line}`)], this.programs),
    );
    await until(
      'all keys are accepted',
      () => namesIn(fleet.path('m', 'pki', 'minions')).length === MINIONS.size,
    );
    await Promise.all(daemons.map((daemon) => daemon.logged('Minion is ready to receive requests')));
    for (let tries = 0; tries < 30; tries++) {
      const { stdout } = await this.run('salt', ['*', 'test.ping', '--out', 'txt', '-t', '3'], '');
      if ([...MINIONS.keys()].every((id) => stdout.includes(`${id}: True`))) return;
    }
    throw new Error(`the minions of ${this.programs.name} never answered`);
  }
}
