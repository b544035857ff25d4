/**
 * Compares our grains with those of a real Salt's minion on this host: `node scripts/run-ts.mjs
 * test/compare/grains.ts`. Prints every grain that differs; ends with 1 when one does without a reason.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ours, realSalt, runProgram } from '../support/fleet.ts';
import { parseJson } from '../../src/formats/json/parse.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';

/** Grains that name the software, the process or the moment, and so are meant to differ. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['pid', 'the process itself'],
  ['brineversion', 'the version of this software'],
  ['zmqversion', 'the ZeroMQ in use: there is no libzmq in a minion of ours'],
  ['pythonexecutable', 'the interpreter in use'],
  ['pythonpath', 'the interpreter in use'],
  ['pythonversion', 'the interpreter in use'],
  ['saltpath', 'where the software lies'],
  ['path', 'the environment of the process'],
  ['systempath', 'the environment of the process'],
  ['shell', 'the environment of the process'],
]);
/** Lists whose order means nothing: Salt's comes from sets. */
const UNORDERED: ReadonlySet<string> = new Set([
  'fqdn_ip4',
  'fqdn_ip6',
  'fqdns',
  'ipv4',
  'ipv6',
  'ssds',
  'disks',
]);

async function grainsOf(program: string, folder: string, extra: readonly string[]): Promise<Dict> {
  mkdirSync(folder, { recursive: true });
  const lines = ['id: compared', `root_dir: ${folder}`, 'file_client: local', ...extra];
  writeFileSync(join(folder, 'minion'), `${lines.join('\n')}\n`);
  const words = ['--config-dir', folder, '--local', '-l', 'quiet', '--out', 'json', 'grains.items'];
  const { stdout, stderr } = await runProgram(program, words);
  const whole = parseJson(stdout);
  const grains = isDict(whole) ? whole.get('local') : undefined;
  if (!isDict(grains)) throw new Error(`${program} gave no grains: ${stdout}${stderr}`);
  return grains;
}

function neutral(name: string, value: Value | undefined, folder: string): string {
  if (value === undefined) return '(there is none)';
  const sorted =
    UNORDERED.has(name) && Array.isArray(value)
      ? [...value].sort((a, b) => (pyRepr(a) < pyRepr(b) ? -1 : 1))
      : value;
  return pyRepr(sorted).replaceAll(folder, '<DIR>');
}

async function main(): Promise<number> {
  const salt = realSalt('3006');
  if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
  const folder = mkdtempSync(join(tmpdir(), 'bg-'));
  const counts = { same: 0, meant: 0, different: 0 };
  const say = (text: string): boolean => process.stdout.write(`${text}\n`);
  try {
    for (const [title, extra] of [
      ['as installed', []],
      [
        'with options',
        [
          'append_domain: example.org',
          'grains: {own: [1, {a: b}]}',
          'enable_fqdns_grains: True',
          'enable_gpu_grains: True',
        ],
      ],
    ] as [string, string[]][]) {
      const [real, own] = [join(folder, 'r'), join(folder, 'o')];
      const theirs = await grainsOf(join(salt.folder, 'salt-call'), real, extra);
      const mine = await grainsOf(join(ours.folder, 'salt-call'), own, extra);
      for (const name of [...new Set([...theirs.keys(), ...mine.keys()])].map(String).sort()) {
        const [a, b] = [neutral(name, theirs.get(name), real), neutral(name, mine.get(name), own)];
        const reason = REASONS.get(name);
        if (a === b) counts.same++;
        else if (reason !== undefined) {
          counts.meant++;
          say(`on purpose [${title}] ${name}: ${reason}\n  Salt: ${a}\n  ours: ${b}`);
        } else {
          counts.different++;
          say(`\n=== [${title}] ${name}\n  Salt: ${a}\n  ours: ${b}`);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`\n${counts.same} same, ${counts.meant} different on purpose, ${counts.different} different`);
  return counts.different === 0 ? 0 : 1;
}

process.exitCode = await main();
