/**
 * Applies SLS of public formulas with a real Salt and with ours, each in throw-away copies of this machine's root, and
 * prints what differs. Needs root, overlayfs, socat and Debian's mirror:
 *
 *     unshare -m node scripts/run-ts.mjs test/compare/applied/run.ts FORMULAS FOLDER --real SALT-CALL --ours SALT-CALL [--only REGEX] [--show COUNT]
 *
 * Where the machine has python3-apt or python3-dbus, the real Salt must not find them, as its own packages do not: with
 * them it reads sources with other rules, and asks a D-Bus that is not there.
 *
 * FORMULAS is a folder with one checkout for each formula. FOLDER takes the base layer, fetched packages and
 * `answers/real` and `answers/ours`, a file for each case; a side without its command is taken as it lies there, and
 * cases that have an answer of the real Salt are not run there again. Each case (`cases.json`) is applied in test mode,
 * for real, and once more, and so is what takes it away again. docs/internals/state-compiler.md says what came of it.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { startAptProxy } from './apt-proxy.ts';
import { readCases, stepsOf, type AppliedCase, type StepAnswer } from './case.ts';
import { snapshot } from './snapshot.ts';
import { report } from './report.ts';

const ROOT = process.env['BRINE_ROOT'] ?? '.';
const HERE = join(ROOT, 'test/compare/applied');
const words = process.argv.slice(2);

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

const [formulas, folder] = [words[0] ?? '', words[1] ?? ''].map((word) => resolve(word)) as [string, string];
if (words.length < 2) throw new Error('give the folder of formulas and one for answers');
const kept = join(folder, 'base.tar');
/** The base layer, in memory, since a layer below another may not lie within it. */
const base = join(folder, `base-${process.pid}`);
const socket = join(folder, `proxy-${process.pid}`);

/** What a command in a copy of the root printed. */
interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a copy of the root; not synchronously, since the proxy lives in this process. */
async function inCopy(
  layers: readonly string[],
  upper: string,
  command: readonly string[],
): Promise<Printed> {
  const child = spawn(join(HERE, 'copy.sh'), [layers.join(':'), upper, socket, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 900_000,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => err.push(piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

/** What a layer has beside its files. */
const TAR = [
  '--xattrs',
  '--xattrs-include=trusted.*',
  '--xattrs-include=security.*',
  '--acls',
  '--numeric-owner',
];

function run(program: string, ...args: string[]): void {
  if (spawnSync(program, args, { stdio: 'inherit' }).status !== 0)
    throw new Error(`${program} ${args.join(' ')}`);
}

/** Makes the layer that all cases have: without what formulas install, with stand-ins for systemd's programs. */
async function makeBase(): Promise<void> {
  mkdirSync(base);
  run('mount', '-t', 'tmpfs', 'tmpfs', base);
  if (existsSync(kept)) {
    run('tar', '-x', ...TAR, '-f', kept, '-C', base);
    return;
  }
  const made = await inCopy([], base, [join(HERE, 'prepare.sh'), join(HERE, 'stand-ins')]);
  writeFileSync(join(folder, 'base.log'), made.stdout + made.stderr);
  if (made.code !== 0) throw new Error(`the base layer cannot be made: see ${join(folder, 'base.log')}`);
  run('tar', '-c', ...TAR, '-f', kept, '-C', base, 'up');
}

/** Lays a formula, its pillar, the minion's configuration and its `salt-call`, which formulas run, out as a layer. */
function layOut(one: AppliedCase, call: string, layer: string): void {
  const from = join(formulas, one.formula);
  for (const name of readdirSync(from, { withFileTypes: true }))
    if (name.isDirectory() && !/^\.|^(?:tests?|docs|bin)$/.test(name.name))
      cpSync(join(from, name.name), join(layer, 'srv/salt', name.name), { recursive: true });
  const pillar = join(layer, 'srv/pillar');
  mkdirSync(pillar, { recursive: true });
  writeFileSync(join(pillar, 'top.sls'), "base:\n  '*':\n    - applied\n");
  const text =
    one.pillar === undefined
      ? readFileSync(join(from, one.pillarFile ?? 'pillar.example'), 'utf8')
      : JSON.stringify(one.pillar);
  writeFileSync(join(pillar, 'applied.sls'), text);
  mkdirSync(join(layer, 'usr/local/bin'), { recursive: true });
  symlinkSync(call, join(layer, 'usr/local/bin/salt-call'));
  mkdirSync(join(layer, 'etc/salt'), { recursive: true });
  writeFileSync(
    join(layer, 'etc/salt/minion'),
    'id: applied\nfile_client: local\nenable_fqdns_grains: false\nmaster_type: disable\n',
  );
}

/** What was printed as JSON, or the text where it was something else. */
function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as Record<string, unknown>)['local'];
  } catch {
    return text;
  }
}

/** Applies a case with one Salt. */
async function applyCase(one: AppliedCase, call: string): Promise<StepAnswer[]> {
  const place = join(folder, `run-${process.pid}`);
  mkdirSync(place);
  run('mount', '-t', 'tmpfs', 'tmpfs', place);
  const layers = [join(place, 'case'), join(base, 'up')];
  layOut(one, call, join(place, 'case'));
  const out: StepAnswer[] = [];
  try {
    for (const { step, words: said } of stepsOf(one, existsSync(join(place, 'case/srv/salt/_states')))) {
      const started = Date.now();
      const command = [call, '--local', '--out=json', '--retcode-passthrough', '--log-level=error', ...said];
      const done = await inCopy(layers, place, command);
      const seconds = (Date.now() - started) / 1000;
      const files = snapshot(join(place, 'up'), [...layers, '/']);
      out.push({ step, code: done.code, answer: parsed(done.stdout), stderr: done.stderr, seconds, files });
    }
    return out;
  } finally {
    run('umount', '-l', place);
    rmSync(place, { recursive: true });
  }
}

/** Has one side apply a case, and keeps its answers. */
async function runSide(side: string, call: string, one: AppliedCase): Promise<void> {
  const answers = join(folder, 'answers', side);
  mkdirSync(answers, { recursive: true });
  const file = join(answers, `${one.name}.json`);
  if (side === 'real' && existsSync(file)) return;
  const steps = await applyCase(one, call);
  writeFileSync(file, JSON.stringify(steps));
  const codes = steps.map(
    ({ step, code, seconds }) => `${step} ${code ?? 'killed'} (${seconds.toFixed(0)} s)`,
  );
  process.stdout.write(`${side} ${one.name}: ${codes.join(', ')}\n`);
}

const only = new RegExp(optionOf('--only') ?? '');
const cases = readCases(ROOT).filter(({ name }) => only.test(name));
mkdirSync(folder, { recursive: true });
/** Applies cases with the sides whose commands are given. */
async function applyAll(calls: readonly (readonly [side: string, call: string])[]): Promise<void> {
  const proxy = await startAptProxy(socket, join(folder, 'packages'));
  try {
    await makeBase();
    for (const one of cases) for (const [side, call] of calls) await runSide(side, resolve(call), one);
  } finally {
    proxy.close();
    run('umount', '-l', base);
    rmSync(base, { recursive: true });
  }
}

const calls = ['real', 'ours'].flatMap((side): [string, string][] => {
  const call = optionOf(`--${side}`);
  return call === undefined ? [] : [[side, call]];
});
if (calls.length > 0) await applyAll(calls);
report(join(folder, 'answers'), cases, Number(optionOf('--show') ?? 40));
