/**
 * Types all pairs of options of each program, by the tables of options, against a demo master with two minions, and
 * says of each pair which of the two did nothing beside the other: `node scripts/run-ts.mjs
 * test/compare/option-pairs.ts [PROGRAM] [OPTION...]`. A pair is good when both have an effect, when it is refused with
 * 64 and a sentence that names both, or when a warning names the one that has none. What an option does is seen by what
 * the program prints, writes and ends with: an option that shows nothing alone is named once, and is to be looked at by
 * hand. How each option is typed stands in `option-pairs.yaml`.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { allOptions, type CliOption, type CliProgram } from '../../src/cli/command-line/optparse.ts';
import { saltCallProgram } from '../../src/cli/options/salt-call.ts';
import { saltCpProgram } from '../../src/cli/options/salt-cp.ts';
import { saltKeyProgram } from '../../src/cli/options/salt-key.ts';
import { saltRunProgram } from '../../src/cli/options/salt-run.ts';
import { saltProgram } from '../../src/cli/options/salt.ts';
import { brineProgram } from '../../src/cli/options/brine.ts';
import { slsProgram } from '../../src/cli/options/sls.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { isDict, type Value } from '../../src/python/values/value.ts';
import { Fleet, ours, runProgram } from '../support/fleet.ts';

const PROGRAMS: readonly CliProgram[] = [
  saltProgram,
  saltRunProgram,
  saltCallProgram,
  saltCpProgram,
  saltKeyProgram,
  slsProgram,
  brineProgram,
];
const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const AT_ONCE = 3;
const USAGE = 64;

/** How an option is typed. */
interface Sample {
  readonly option: CliOption;
  readonly words: readonly string[];
  readonly target: string | undefined;
  readonly isBare: boolean;
  readonly hides: readonly string[];
  readonly shows: string | undefined;
}

/** What could be seen of one run. */
interface Seen {
  readonly code: number | null;
  readonly stderr: string;
  /** All of it in one text, without what differs each time. */
  readonly all: string;
}

const texts = (value: Value | undefined): string[] => (Array.isArray(value) ? value.map(pyStr) : []);

function samplesOf(program: CliProgram, table: Value): { usual: string[]; samples: Sample[] } {
  const own = isDict(table) ? table.get(program.name) : undefined;
  if (!isDict(own ?? null)) throw new Error(`option-pairs.yaml does not name ${program.name}`);
  const named = (own as Map<Value, Value>).get('options');
  const samples = allOptions(program).flatMap((option): Sample[] => {
    const how = isDict(named ?? null) ? (named as Map<Value, Value>).get(option.dest) : undefined;
    const given = how !== undefined && isDict(how) ? how : new Map<Value, Value>();
    if (given.has('skip')) return [];
    const target = given.get('target');
    return [
      {
        option,
        words: given.has('words') ? texts(given.get('words')) : [option.flags[0]],
        target: target === undefined ? undefined : pyStr(target),
        isBare: given.get('bare') === true,
        hides: texts([given.get('hides') ?? []].flat()),
        shows: given.has('shows') ? pyStr(given.get('shows') ?? null) : undefined,
      },
    ];
  });
  return { usual: texts((own as Map<Value, Value>).get('usual')), samples };
}

/** A master with two minions, a key that waits, a user and a node group. */
async function demo(context: TestContext): Promise<Fleet> {
  const fleet = await Fleet.create(context);
  fleet.write(fleet.folder, 'users', ['ann:right']);
  fleet.configureMaster([
    'auto_accept: True',
    'nodegroups: {one: "L@m1"}',
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
    'external_auth:',
    '  file:',
    `    ^filename: ${fleet.path('users')}`,
    '    ann: [".*", "@runner", "@wheel"]',
  ]);
  fleet.write(fleet.path('pillar'), 'top.sls', ["base: {'*': [p]}"]);
  fleet.write(fleet.path('pillar'), 'p.sls', ["who: {{ grains['id'] }}"]);
  fleet.write(fleet.path('tree'), 'top.sls', ["base: {'*': [a]}"]);
  fleet.write(fleet.path('tree'), 'a.sls', [
    'a: {nosuch.fun: []}',
    "{% if grains.os == 'Arch' %}",
    '{{ pillar.who }}: {cmd.run: [{name: id}, {nosuch: x}]}',
    '{% endif %}',
  ]);
  fleet.write(fleet.folder, 'pillar.yaml', ['who: [a]']);
  fleet.write(fleet.folder, 'grains.yaml', ['os: Arch']);
  await fleet.startMaster();
  await Promise.all(['m1', 'm2'].map((id) => fleet.joinMinion(id)));
  return fleet;
}

/** Text without what is another one each time; lines in order, because minions return in any. */
function steady(text: string, folder: string): string {
  return text
    .replaceAll(folder, '{}')
    .replaceAll(/\d{20}/g, 'JID')
    .replaceAll(/\d\d:\d\d:\d\d[.,]\d+|\b\d+(?:\.\d+)? ?m?s\b|\b[0-9a-f]{32,}\b|pid['"]?:?\s+\d+/g, '#')
    .replaceAll(/^.*\[(?:DEBUG|INFO|TRACE) *\].*$/gm, '[log]')
    .split('\n')
    .sort()
    .filter((line, i, all) => line !== '[log]' || all[i - 1] !== '[log]')
    .join('\n');
}

async function look(
  fleet: Fleet,
  program: CliProgram,
  usual: readonly string[],
  options: readonly Sample[],
): Promise<Seen> {
  const folder = mkdtempSync(fleet.path('run-'));
  const target = options.map((one) => one.target).find((one) => one !== undefined);
  const words = options.some(({ isBare }) => isBare)
    ? []
    : usual.map((word) => (word === '*' && target !== undefined ? target : word));
  const config = program.name === 'salt-call' ? fleet.path('m1') : fleet.masterDir;
  const place = program.options.some(({ dest }) => dest === 'config_dir') ? ['-c', config] : [];
  const typed = [...options.flatMap((one) => one.words), ...words].map((word) =>
    word.replaceAll('{}', folder).replaceAll('<DIR>', fleet.folder),
  );
  if (program.name === 'salt-key') keysAnew(fleet);
  const home = join(folder, 'home');
  mkdirSync(home);
  const ended = await runProgram(join(ours.folder, program.name), [...place, ...typed], {
    cwd: folder,
    env: { ...process.env, HOME: home },
  });
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name}: ${/log$|pem$|pub$|cache/.test(name) ? '' : readFileSync(join(folder, name), 'utf8')}`,
    );
  rmSync(folder, { recursive: true, force: true });
  const { code, stdout, stderr } = ended;
  const said = [`exit ${String(code)}`, stdout, '--', stderr, ...written].join('\n');
  return { code, stderr, all: steady(said, folder) };
}

/** A key in each state besides those of the minions. */
function keysAnew(fleet: Fleet): void {
  const states = ['minions', 'minions_pre', 'minions_rejected', 'minions_denied'];
  const place = (state: string, id: string): string => fleet.path('m', 'pki', state, id);
  for (const nth of states.keys())
    for (const [other, folder] of states.entries()) {
      mkdirSync(fleet.path('m', 'pki', folder), { recursive: true });
      if (nth === other) copyFileSync(place('minions', 'm1'), place(folder, `new${nth}`));
      else rmSync(place(folder, `new${nth}`), { force: true });
    }
}

const names = ({ option }: Sample, text: string): boolean => option.flags.some((flag) => text.includes(flag));

/** What is wrong with a pair; undefined where nothing is. */
function judge(
  pair: readonly [Sample, Sample],
  alone: readonly [Seen, Seen],
  none: Seen,
  both: Seen,
): string | undefined {
  if (/^ +at .*:\d+:\d+\)?$/m.test(both.stderr)) return 'CRASHES';
  if (both.code === USAGE)
    return pair.every((one) => names(one, both.stderr)) || alone.some(({ code }) => code === USAGE)
      ? undefined
      : `is refused without naming both: ${both.stderr.trim().split('\n').at(-1) ?? ''}`;
  for (const at of [0, 1] as const) {
    const [one, other] = [pair[at], alone[1 - at]];
    // what is warned of alone has its effect beside the other
    if (/has no effect without|needs --/.test(alone[at].stderr)) continue;
    if (one.shows !== undefined && pair[1 - at]?.hides.includes(one.shows)) continue;
    // where one of the two alone ends everything, nothing is to be seen of the other
    if (other !== undefined && other.code !== none.code) continue;
    if (alone[at].all === none.all || other === undefined || both.all !== other.all) continue;
    if (!names(one, both.stderr)) return `${one.option.flags[0]} does nothing`;
  }
  return undefined;
}

async function run(): Promise<void> {
  const [only, ...chosen] = process.argv.slice(2);
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
  const table = loadYaml(readFileSync(join(ROOT, 'test', 'compare', 'option-pairs.yaml'), 'utf8'));
  let faults = 0;
  try {
    const fleet = await demo(context);
    for (const program of PROGRAMS.filter(({ name }) => only === undefined || name === only))
      faults += await pairsOf(fleet, program, samplesOf(program, table), chosen);
  } finally {
    for (const end of ends) await end();
  }
  process.exitCode = faults === 0 ? 0 : 1;
}

async function pairsOf(
  fleet: Fleet,
  program: CliProgram,
  { usual, samples }: { usual: string[]; samples: Sample[] },
  chosen: readonly string[],
): Promise<number> {
  const none = await look(fleet, program, usual, []);
  const alone = new Map<Sample, Seen>();
  for (const sample of samples) alone.set(sample, await look(fleet, program, usual, [sample]));
  const silent = samples.filter((sample) => alone.get(sample)?.all === none.all);
  console.log(`${program.name}: alone nothing shows of ${silent.map(({ words }) => words[0]).join(' ')}`);
  const pairs = samples.flatMap((one, at) => samples.slice(at + 1).map((other) => [one, other] as const));
  const wanted = pairs.filter(
    (pair) => chosen.length === 0 || pair.some(({ option }) => chosen.includes(option.dest)),
  );
  let [faults, next] = [0, 0];
  const work = async (): Promise<void> => {
    for (let pair = wanted[next++]; pair !== undefined; pair = wanted[next++]) {
      const both = await look(fleet, program, usual, pair);
      const fault = judge(pair, [alone.get(pair[0]) ?? none, alone.get(pair[1]) ?? none], none, both);
      if (fault === undefined) continue;
      faults++;
      console.log(`${program.name} ${pair.map(({ words }) => words.join(' ')).join(' ')}: ${fault}`);
    }
  };
  // one at a time where a run changes what the next one sees
  await Promise.all(Array.from({ length: program.name === 'salt-key' ? 1 : AT_ONCE }, work));
  console.log(`${program.name}: ${wanted.length} pairs, ${faults} faults`);
  return faults;
}

await run();
