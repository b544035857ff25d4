/**
 * Has a real Salt make calls on the machine of `test/fixtures/machine`, within a sandbox without a network, makes them
 * on ours, prints what differs and writes both down for the unit tests: `node scripts/run-ts.mjs
 * test/compare/record-machine.ts [TABLE...] [--only REGEX] [--dry] [--quiet]`. Needs root. `--dry` writes nothing.
 * `--prune` makes what is recorded on ours again, a while later, and drops what has changed by itself, with the time
 * for one. `--ours` writes down what ours does now, after ours was changed: read what it says.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { runSetup } from '../support/bash-script.ts';
import { runProgram } from '../support/fleet.ts';
import { OwnMachine, outcomeText, type MachineOutcome, type Scene } from '../support/machine-calls.ts';
import {
  RECORDS,
  recordedGrains,
  recordedScenes,
  recordedTables,
  sceneOf,
  type RecordedCall,
  type RecordedScene,
} from '../support/machine-records.ts';
import { readMachine } from '../support/machine.ts';
import { valueFromJson, valueToJson } from '../support/module-calls.ts';
import { isDict, type Dict } from '../../src/python/values/value.ts';
import { machineScenes, type TabledScene } from './machine-scenes.ts';
import { assertApart, assertStillBuilt, environmentApart, UNSHARE } from './apart.ts';
import { becomeMachine, realScenes, SANDBOX_PLACES, type RawOutcome, type RealRun } from './real-machine.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const MARK = '\n=== outcomes: ';
const words = process.argv.slice(2);
/** `--side` is for the sandbox, `--apart` for what runs among processes of its own. */
const OPTIONS = new Set(['--only', '--dry', '--quiet', '--prune', '--ours', '--side', '--apart']);
const only = new RegExp(words.includes('--only') ? (words[words.indexOf('--only') + 1] ?? '') : '');
/** Grains that the functions of the machine ask for; the others tell of the host. */
const KEPT_GRAINS = new Set(
  `id os os_family osrelease osrelease_info osmajorrelease oscodename osfullname osfinger osarch kernel cpuarch init systemd
  lsb_distrib_id lsb_distrib_codename lsb_distrib_release path ps shell username groupname uid gid locale_info virtual zfs_support zfs_feature_flags`.split(
    /\s+/,
  ),
);

/** What only this host and this run say. */
const HERE = new RegExp(`TimeoutError: no end|brine-machine|\\b${hostname()}\\b(?!\\.)`);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function chosenScenes(): Promise<TabledScene[]> {
  const tables = words.filter((word, i) => !word.startsWith('--') && words[i - 1] !== '--only');
  const all = await machineScenes();
  return all.filter(
    ({ table, scene }) =>
      (tables.length === 0 || tables.includes(table)) && only.test(`${table} ${scene.scene}`),
  );
}

/** The real side, in its sandbox. */
async function runRealSide(): Promise<number> {
  assertApart();
  process.umask(0o022);
  const machine = readMachine();
  const scenes = (await chosenScenes()).map(({ scene }) => scene);
  becomeMachine(machine);
  for (const name of Object.keys(process.env)) if (!name.startsWith('BRINE')) delete process.env[name];
  Object.assign(process.env, machine.environment, { MACHINE: '' });
  const run = await realScenes(machine, scenes);
  await new Promise((written) => process.stdout.write(`${MARK}${JSON.stringify(run)}`, written));
  return 0;
}

async function realSide(): Promise<RealRun> {
  const line = [join(ROOT, 'test/compare/sandbox.sh'), process.execPath, process.argv[1] ?? '', ...words];
  const { stdout, stderr, code } = await runProgram('unshare', ['-n', 'bash', ...line, '--side']);
  const at = stdout.indexOf(MARK);
  if (at < 0) throw new Error(`the real side ended with ${code}: ${stdout}${stderr}`);
  process.stderr.write(stderr);
  return JSON.parse(stdout.slice(at + MARK.length)) as RealRun;
}

function outcomeOf(raw: RawOutcome): MachineOutcome {
  const { value, error } = raw.answer;
  const answer = error === undefined ? { value: valueFromJson(value) } : { error };
  return { ...raw, answer };
}

/** Our texts for a scene. */
async function ownTexts(machine: OwnMachine, scene: Scene, grains: Dict): Promise<string[]> {
  assertStillBuilt(process.argv[1] ?? '');
  const outcomes = await machine.play(scene, grains, (env) => runSetup(scene, env));
  return outcomes.map((outcome) => outcomeText(outcome, scene, machine.places));
}

async function record(): Promise<number> {
  const scenes = await chosenScenes();
  const total = scenes.reduce((sum, { scene }) => sum + scene.calls.length, 0);
  say(`${total} calls in ${scenes.length} scenes`);
  const real = await realSide();
  if (!words.includes('--dry') || !existsSync(join(RECORDS, 'grains.json'))) writeGrains(real.grains);
  const grains = recordedGrains();
  const machine = new OwnMachine();
  const tables = new Map<string, RecordedScene[]>();
  const counts = { same: 0, different: 0, changing: 0 };
  try {
    for (const [i, { table, scene }] of scenes.entries()) {
      const theirs = (real.outcomes[i] ?? []).map((raw) =>
        outcomeText(outcomeOf(raw), scene, SANDBOX_PLACES),
      );
      const mine = await ownTexts(machine, scene, grains);
      const again = scene.fresh === true ? mine : await ownTexts(machine, scene, grains);
      const rows = scene.calls.map((call, nth): RecordedCall | undefined => {
        const [salt = '', own = ''] = [theirs[nth], mine[nth]];
        const isSteady = own === again[nth] && !HERE.test(own) && !HERE.test(salt);
        counts[!isSteady ? 'changing' : salt === own ? 'same' : 'different']++;
        if (salt !== own && !words.includes('--quiet'))
          say(
            `\n=== [${table}: ${scene.scene}]${isSteady ? '' : ' (changes)'} ${JSON.stringify(call)}\nSalt: ${salt}\nours: ${own}`,
          );
        if (!isSteady) return undefined;
        return salt === own ? [call, salt] : [call, salt, own];
      });
      tables.set(table, [...(tables.get(table) ?? []), { ...scene, calls: steadyOnly(scene, rows) }]);
    }
  } finally {
    machine.remove();
  }
  const isWhole = !words.includes('--only');
  const written = [...tables].map(
    ([table, made]) => [table, isWhole ? made : withRecorded(table, made)] as const,
  );
  if (!words.includes('--dry')) writeTables(new Map(written));
  say(`\n${counts.same} same, ${counts.different} different, ${counts.changing} left out since they change`);
  return 0;
}

/**
 * Makes the recorded calls on ours again. With `--prune`, later than they were recorded, those whose answers have
 * changed are dropped; with `--ours`, after a change of ours, what ours does now is written down.
 */
async function again(): Promise<number> {
  const isPruning = words.includes('--prune');
  const machine = new OwnMachine();
  const tables = new Map<string, unknown[]>();
  try {
    for (const table of recordedTables()) {
      const scenes = recordedScenes(table);
      const isChosen = ({ scene }: RecordedScene): boolean => only.test(`${table} ${scene}`);
      if (!scenes.some(isChosen)) continue;
      const kept: unknown[] = [];
      for (const recorded of scenes) {
        if (!isChosen(recorded)) {
          kept.push(recorded);
          continue;
        }
        const scene = sceneOf(recorded);
        const texts = await ownTexts(machine, scene, recordedGrains());
        const rows = recorded.calls.map(([call, salt, ours], i): RecordedCall | undefined => {
          const now = texts[i] ?? '';
          if (now !== (ours ?? salt))
            say(`changed [${table}: ${scene.scene}] ${JSON.stringify(call)}\n${ours ?? salt}\n${now}`);
          else if (isPruning) return ours === undefined ? [call, salt] : [call, salt, ours];
          if (isPruning) return undefined;
          return now === salt ? [call, salt] : [call, salt, now];
        });
        kept.push({ ...recorded, calls: steadyOnly(scene, rows) });
      }
      tables.set(table, kept);
    }
  } finally {
    machine.remove();
  }
  writeTables(tables);
  return 0;
}

/**
 * Rows without those that change; where calls follow each other, nothing behind the first of these can be kept either.
 */
function steadyOnly(scene: Scene, rows: readonly (RecordedCall | undefined)[]): RecordedCall[] {
  const first = rows.indexOf(undefined);
  const kept = scene.fresh === true || first < 0 ? rows : rows.slice(0, first);
  return kept.filter((row) => row !== undefined);
}

function writeGrains(json: unknown): void {
  const grains = valueFromJson(json);
  const kept = isDict(grains) ? [...grains].filter(([key]) => KEPT_GRAINS.has(String(key))) : [];
  mkdirSync(RECORDS, { recursive: true });
  writeFileSync(join(RECORDS, 'grains.json'), `${JSON.stringify(valueToJson(new Map(kept)), null, 1)}\n`);
}

/**
 * With `--only` the other scenes of a table stay as they were recorded. Scenes may share a name: they stand for each
 * other in turn.
 */
function withRecorded(table: string, made: readonly RecordedScene[]): readonly unknown[] {
  const recorded: readonly { readonly scene: string }[] = recordedTables().includes(table)
    ? recordedScenes(table)
    : [];
  const fresh = [...made];
  const takeFresh = (name: string): RecordedScene | undefined => {
    const at = fresh.findIndex(({ scene }) => scene === name);
    return at < 0 ? undefined : fresh.splice(at, 1)[0];
  };
  return [...recorded.map((each) => takeFresh(each.scene) ?? each), ...fresh];
}

/** One line for each call, so that a change shows where it is. */
function writeTables(tables: ReadonlyMap<string, readonly unknown[]>): void {
  assertStillBuilt(process.argv[1] ?? '');
  mkdirSync(join(RECORDS, 'calls'), { recursive: true });
  for (const [table, scenes] of tables) {
    const texts = (scenes as (Scene & { calls: unknown[] })[]).map(({ calls, ...head }) => {
      const lines = calls.map((row) => `  ${JSON.stringify(row)}`);
      return `${JSON.stringify(head).slice(0, -1)}, "calls": [\n${lines.join(',\n')}\n]}`;
    });
    writeFileSync(join(RECORDS, 'calls', `${table}.json`), `[\n${texts.join(',\n')}\n]\n`);
  }
}

/** Ours ends processes just as the real Salt does: everything is done among processes of its own. */
function runApart(): number {
  const line = [...UNSHARE, process.execPath, process.argv[1] ?? '', ...words, '--apart'];
  return spawnSync('unshare', line, { env: environmentApart(), stdio: 'inherit' }).status ?? 2;
}

/** What is asked for. @throws for an unknown option: without it, everything would be recorded */
async function run(): Promise<number> {
  const unknown = words.find(
    (word, i) => word.startsWith('--') && words[i - 1] !== '--only' && !OPTIONS.has(word),
  );
  if (unknown !== undefined)
    throw new Error(`${unknown} is no option here; the head of this file tells which there are`);
  if (words.includes('--side')) return runRealSide();
  if (!words.includes('--apart')) return runApart();
  assertApart();
  return words.includes('--prune') || words.includes('--ours') ? again() : record();
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
