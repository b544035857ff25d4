/**
 * Compiles the SLS of public formulas with a real Salt and with ours on this host, and prints what differs: `node
 * scripts/run-ts.mjs test/compare/states.ts FORMULAS [--salt DIR] [--only REGEX] [--most COUNT] [--show COUNT] [--keep
 * FILE]`.
 *
 * FORMULAS is a folder with one checkout for each formula (`nginx-formula/nginx/init.sls`,
 * `nginx-formula/pillar.example`); `--salt` the folder of the real commands. Every SLS is compiled with the formula's
 * example pillar and with none, in two ways: by `state.show_low_sls`, and as a highstate does it, with extensions,
 * requisites and excludes worked in. Same low data, or the same errors, is the same. Of each formula at most `--most`
 * SLS are compiled, spread evenly. `--keep` keeps what the real Salt gave in that file, and takes it from there the
 * next time.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownCompilations } from './own-compilations.ts';
import { realCompilations } from './real-compilations.ts';
import { spread, type StateCase } from './compile-case.ts';
import { compiledAgain, report } from './compile-report.ts';

const words = process.argv.slice(2);

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

/** Folders of a checkout that hold no states. */
const NO_STATES = new Set(['test', 'tests', 'docs', 'bin', 'kitchen']);

/** The SLS of a formula, by name. */
function slsOf(formula: string): string[] {
  const names: string[] = [];
  const visit = (folder: string, path: readonly string[]): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (/^[._]/.test(entry.name) && path.length === 0) continue;
      if (path.length === 0 && NO_STATES.has(entry.name)) continue;
      if (entry.isDirectory()) visit(join(folder, entry.name), [...path, entry.name]);
      else if (path.length > 0 && entry.name.endsWith('.sls')) {
        const name = entry.name.slice(0, -'.sls'.length);
        names.push((name === 'init' ? path : [...path, name]).join('.'));
      }
    }
  };
  visit(formula, []);
  return names.sort();
}

/** Lays formulas and pillar out as the files of one minion. @returns what is compiled */
function layOut(formulas: string, folder: string): StateCase[] {
  const cases: StateCase[] = [];
  const only = new RegExp(optionOf('--only') ?? '');
  mkdirSync(join(folder, 'pillar'), { recursive: true });
  mkdirSync(join(folder, 'srv'));
  for (const formula of readdirSync(formulas).sort()) {
    const from = join(formulas, formula);
    const example = join(from, 'pillar.example');
    const pillar = formula.replace(/[^\w-]/g, '_');
    const found = slsOf(from);
    for (const name of new Set(found.map((sls) => sls.split('.')[0] ?? '')))
      cpSync(join(from, name), join(folder, 'srv', name), { recursive: true });
    if (existsSync(example)) cpSync(example, join(folder, 'pillar', `${pillar}.sls`));
    const pillars = [null, ...(existsSync(example) ? [pillar] : [])];
    for (const sls of spread(found, Number(optionOf('--most') ?? Infinity)))
      for (const used of pillars)
        if (only.test(`${formula} ${sls} ${used === null ? 'none' : 'example'}`))
          cases.push({ formula, sls, pillar: used });
  }
  return cases;
}

const [formulas] = words;
if (formulas === undefined || !existsSync(formulas))
  throw new Error('Name a folder with checkouts of formulas.');
const folder = mkdtempSync(join(tmpdir(), 'brine-states-'));
try {
  const cases = layOut(formulas, folder);
  const salt = optionOf('--salt') ?? '/opt/realsalt/bin/3006';
  const real = await realCompilations(folder, cases, { salt, kept: optionOf('--keep') });
  const own = await ownCompilations(folder, cases);
  const again = await compiledAgain({ cases, real, own }, (some) => ownCompilations(folder, some));
  const [most, length] = [Number(optionOf('--show') ?? 10), Number(optionOf('--length') ?? 1200)];
  report({ cases, real, own, again }, { most, length });
} finally {
  rmSync(folder, { recursive: true });
}
