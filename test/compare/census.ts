/**
 * Counts which functions of Salt's the SLS and templates of sites name, and which of them Brine has:
 * `node scripts/run-ts.mjs test/compare/census.ts [--salt DIR] [--misses] FOLDER…`.
 *
 * Each FOLDER is a site: a tree of SLS with its templates. DIR is Salt's source (3006, with `salt/states` and
 * `salt/modules`): names that it does not have are the sites' own and not counted, nor are modules that the site brings
 * itself. It is read as text; Jinja is not run. A site is whole when all that it names is there. Prints the sites with
 * what they miss, and the misses in the order of how many sites name them.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MODULE_TABLE } from '../../src/plugins/registry/module/table.generated.ts';
import { STATE_TABLE } from '../../src/plugins/registry/state/table.generated.ts';
import type { ModuleEntry } from '../../src/runtime/loader/module-entry.ts';

/** Functions by the name of their module. */
type Names = Map<string, Set<string>>;

/** What one site names, with the number of times. */
interface Named {
  readonly site: string;
  readonly states: Map<string, number>;
  readonly functions: Map<string, number>;
}

const words = process.argv.slice(2);
const saltAt = words.indexOf('--salt');
const salt = saltAt < 0 ? '/opt/realsalt/src/3006/salt' : (words.splice(saltAt, 2)[1] ?? '');
const showsMisses = words.includes('--misses');
const folders = words.filter((word) => !word.startsWith('--'));

/** The names of the functions of Salt's modules of one kind, under every name that a module may have. */
function saltsNames(kind: string): Names {
  const names: Names = new Map();
  for (const file of readdirSync(join(salt, kind)).filter((name) => name.endsWith('.py'))) {
    const text = readFileSync(join(salt, kind, file), 'utf8');
    const virtual = /^__virtualname__ = ["'](\w+)["']/m.exec(text)?.[1];
    const returned = [...text.matchAll(/^ {4,12}return ["'](\w+)["']$/gm)].map((match) => match[1] ?? '');
    const virtualBody = /^def __virtual__[\s\S]*?(?=^def |^class |^@)/m.exec(text)?.[0] ?? '';
    const own = returned.filter(
      (name) => virtualBody.includes(`"${name}"`) || virtualBody.includes(`'${name}'`),
    );
    const functions = [
      ...text.matchAll(/^(?:def )?([a-z]\w*)(?:\(| = salt\.utils\.functools\.alias_function| = \w+$)/gm),
    ].map((match) => (match[1] ?? '').replace(/_$/, ''));
    for (const name of new Set([virtual ?? basename(file, '.py'), ...own])) {
      const all = names.get(name) ?? new Set();
      for (const fun of functions) all.add(fun);
      names.set(name, all);
    }
  }
  return names;
}

async function ourNames(table: readonly ModuleEntry[]): Promise<Names> {
  const names: Names = new Map();
  for (const entry of table) {
    const all = names.get(entry.name) ?? new Set();
    for (const fun of Object.keys((await entry.load()).functions)) all.add(fun.replace(/_$/, ''));
    names.set(entry.name, all);
  }
  return names;
}

function* filesUnder(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) yield* filesUnder(path);
    else if (existsSync(path)) yield path;
  }
}

/**
 * State functions in the text of an SLS: `module.function` on a line of its own, or a module with `- function` under
 * it.
 */
function* statesIn(text: string): Generator<readonly [string, string]> {
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const dotted = /^\s+(?:-\s+)?["']?([a-z]\w*)\.([a-z]\w*)["']?(?::?|:\s*[[{].*)\s*(?:#.*)?$/.exec(line);
    if (dotted !== null) yield [dotted[1] ?? '', dotted[2] ?? ''];
    const short = /^(\s+)([a-z]\w*):\s*$/.exec(line);
    if (short === null) continue;
    for (const under of lines.slice(at + 1, at + 40)) {
      if (/^\s*(\{[%#]|#|$)/.test(under)) continue;
      if (!under.startsWith(`${short[1] ?? ''}`) || /^\s*\S+:$/.test(under)) break;
      const alone = /^\s+-\s+([a-z]\w*)\s*$/.exec(under);
      if (alone === null) continue;
      yield [short[2] ?? '', alone[1] ?? ''];
      break;
    }
  }
}

/** Execution functions in the text of a template, and those that `module.run` and `salt.function` are given. */
function* functionsIn(text: string): Generator<readonly [string, string]> {
  for (const match of text.matchAll(/\bsalt(?:\[["']([a-z]\w*)\.(\w+)["']\]|\.([a-z]\w*)\.(\w+)\()/g))
    yield [match[1] ?? match[3] ?? '', match[2] ?? match[4] ?? ''];
  for (const match of text.matchAll(/(?:module\.(?:run|wait)|salt\.function):?\n((?:\s+-.*\n|\s*\n)+)/g))
    for (const name of (match[1] ?? '').matchAll(/-\s+(?:name:\s*)?["']?([a-z]\w*)\.([a-z]\w*)["']?:?\s*$/gm))
      yield [name[1] ?? '', name[2] ?? ''];
}

function add(names: Map<string, number>, name: string): void {
  names.set(name, (names.get(name) ?? 0) + 1);
}

function namedBy(site: string, states: Names, functions: Names): Named {
  const named: Named = { site: basename(site), states: new Map(), functions: new Map() };
  const own = { states: new Set<string>(), modules: new Set<string>() };
  const texts: [string, string][] = [];
  for (const path of filesUnder(site)) {
    const brought = /\/_(states|modules)\/(?:.*\/)?(\w+)\.py$/.exec(path);
    if (brought !== null) own[brought[1] === 'states' ? 'states' : 'modules'].add(brought[2] ?? '');
    if (/\.(sls|jinja|j2|yaml|yml|conf|map)$/.test(path)) texts.push([path, readFileSync(path, 'utf8')]);
  }
  for (const [path, text] of texts) {
    if (path.endsWith('.sls') && !/\/pillar/.test(path.slice(site.length)))
      for (const [mod, fun] of statesIn(text))
        if (!own.states.has(mod) && states.get(mod)?.has(fun) === true) add(named.states, `${mod}.${fun}`);
    for (const [mod, fun] of functionsIn(text))
      if (!own.modules.has(mod) && functions.get(mod)?.has(fun) === true)
        add(named.functions, `${mod}.${fun}`);
  }
  return named;
}

const has = (ours: Names, name: string): boolean => {
  const [mod = '', fun = ''] = name.split('.');
  return ours.get(mod)?.has(fun) === true;
};

function report(kind: 'states' | 'functions', all: readonly Named[], ours: Names): void {
  const misses = new Map<string, { sites: string[]; times: number }>();
  const rest: [string, string[]][] = [];
  let [times, found] = [0, 0];
  for (const named of all) {
    const missed: string[] = [];
    for (const [name, count] of named[kind]) {
      times += count;
      if (has(ours, name)) found += count;
      else {
        missed.push(name);
        const entry = misses.get(name) ?? { sites: [], times: 0 };
        misses.set(name, { sites: [...entry.sites, named.site], times: entry.times + count });
      }
    }
    rest.push([named.site, missed.sort()]);
  }
  const whole = rest.filter(([, missed]) => missed.length === 0).length;
  const share = ((100 * found) / Math.max(1, times)).toFixed(1);
  process.stdout.write(
    `${kind}: ${whole} of ${rest.length} sites whole, ${found} of ${times} occurrences (${share} %)\n`,
  );
  for (const [site, missed] of rest.sort((a, b) => a[1].length - b[1].length))
    process.stdout.write(`  ${site}: ${missed.length === 0 ? 'whole' : missed.join(' ')}\n`);
  if (!showsMisses) return;
  for (const [name, { sites, times: count }] of [...misses].sort(
    (a, b) => b[1].sites.length - a[1].sites.length,
  ))
    process.stdout.write(`  - ${name}: ${sites.length} sites, ${count} times\n`);
}

const [saltStates, saltFunctions] = [saltsNames('states'), saltsNames('modules')];
const all = folders.map((folder) => namedBy(folder, saltStates, saltFunctions));
report('states', all, await ourNames(STATE_TABLE));
report('functions', all, await ourNames(MODULE_TABLE));
