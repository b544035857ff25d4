/**
 * Compiles the SLS of whole sites with a real Salt and with ours on this host, and prints what differs: `node
 * scripts/run-ts.mjs test/compare/sites.ts LAYOUT [--salt DIR] [--only REGEX] [--most COUNT] [--show COUNT] [--length
 * COUNT] [--keep DIR]`.
 *
 * LAYOUT is a file of JSON: a list of `{"name": …, "files": {"base": [folder, …]}, "pillar": {"base": [folder, …]},
 * "lines": […]}`, of which only `name` and `files` are needed; `lines` are further lines of the minion's configuration
 * (`id: web1`). Extensions in the file roots are synced on both sides. Up to `--most` SLS of each site, spread evenly
 * over its tree, are compiled in the two ways of `states.ts`, and its top file by `state.show_lowstate` and
 * `state.show_highstate`. Templates may run commands: use `sandbox.sh`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownCompilations } from './own-compilations.ts';
import { realCompilations } from './real-compilations.ts';
import { TOP, spread, type MinionOfCases, type StateCase } from './compile-case.ts';
import { compiledAgain, report } from './compile-report.ts';

interface Site {
  readonly name: string;
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly pillar?: Readonly<Record<string, readonly string[]>>;
  readonly lines?: readonly string[];
}

const words = process.argv.slice(2);

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

/** The names of all SLS under a file root, in order. */
function slsUnder(root: string): string[] {
  const names: string[] = [];
  const visit = (folder: string, path: readonly string[]): void => {
    for (const name of readdirSync(folder).sort()) {
      if (/^[._]/.test(name)) continue;
      const full = join(folder, name);
      const isFolder = existsSync(full) && statSync(full).isDirectory();
      if (isFolder) visit(full, [...path, name]);
      else if (name.endsWith('.sls') && !name.slice(0, -'.sls'.length).includes('.')) {
        const stem = name.slice(0, -'.sls'.length);
        if (stem !== 'top') names.push((stem === 'init' ? path : [...path, stem]).join('.'));
      }
    }
  };
  visit(root, []);
  return names.filter((name) => name !== '');
}

function casesOf(site: Site): StateCase[] {
  const roots = site.files['base'] ?? [];
  const found = [...new Set(roots.flatMap(slsUnder))];
  const chosen = spread(found, Number(optionOf('--most') ?? 40));
  const hasTop = roots.some((root) => existsSync(join(root, 'top.sls')));
  const only = new RegExp(optionOf('--sls') ?? '');
  return [...(hasTop ? [TOP] : []), ...chosen]
    .filter((sls) => only.test(sls))
    .map((sls) => ({ formula: site.name, sls, pillar: null }));
}

async function compareSite(site: Site): Promise<void> {
  const cases = casesOf(site);
  process.stdout.write(`\n######## ${site.name}\n`);
  const keep = optionOf('--keep');
  const kept = keep === undefined ? undefined : join(keep, `${site.name}.jsonl`);
  const minion: MinionOfCases = {
    lines: [
      `file_roots: ${JSON.stringify(site.files)}`,
      ...(site.pillar === undefined ? [] : [`pillar_roots: ${JSON.stringify(site.pillar)}`]),
      ...(site.lines ?? []),
    ],
    synced: true,
  };
  const folder = mkdtempSync(join(tmpdir(), 'brine-site-'));
  const [forReal, forOwn] = [join(folder, 'real'), join(folder, 'ours')];
  try {
    for (const side of [forReal, forOwn]) mkdirSync(join(side, 'pillar'), { recursive: true });
    const salt = optionOf('--salt') ?? '/opt/realsalt/bin/3006';
    const real = await realCompilations(forReal, cases, { salt, kept, minion });
    const own = await ownCompilations(forOwn, cases, minion);
    const again = await compiledAgain({ cases, real, own }, (some) => ownCompilations(forOwn, some, minion));
    const [most, length] = [Number(optionOf('--show') ?? 10), Number(optionOf('--length') ?? 1200)];
    report({ cases, real, own, again }, { most, length });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [layout] = words;
if (layout === undefined || !existsSync(layout)) throw new Error('Name a file with the layout of sites.');
const only = new RegExp(optionOf('--only') ?? '');
for (const site of JSON.parse(readFileSync(layout, 'utf8')) as Site[])
  if (only.test(site.name)) await compareSite(site);
process.exit(0); // processes of Python may still wait for calls
