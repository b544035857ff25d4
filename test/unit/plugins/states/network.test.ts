/**
 * Calls of `ip` and states of `network` that a real Salt 3006.16 made (`test/compare/ip/record.py`), made again on
 * ours.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../../src/formats/json/text.ts';
import { pyRepr, pyStr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { answerOfValues } from '../../../support/call-answers.ts';
import { MachineView } from '../../../support/machine-view.ts';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import type { ModuleEntry } from '../../../../src/runtime/loader/module-entry.ts';
import { defineModule, type FunctionSpec } from '../../../../src/runtime/loader/module.ts';
import { fakeStateContext, runState, type FakeStateContext } from '../../../support/state-context.ts';

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/ip');

/** The functions that `ip` and `network` call. */
const DOUBLED =
  'cmd.run pkg.install pkg.version kmod.load saltutil.refresh_grains service.available service.status service.enable ' +
  'service.disable service.start service.stop service.restart service.reload network.interfaces network.mod_hostname sysctl.persist';

interface Differences {
  /** Why ours differs, by case and number of the call; what ours gives instead. */
  readonly [callOf: string]: { readonly reason: string; readonly ours: string };
}

function field(from: Value, name: string): Value {
  return isDict(from) ? (from.get(name) ?? null) : null;
}

function entries(from: Value): [string, Value][] {
  return isDict(from) ? [...from].map(([key, value]) => [pyStr(key), value]) : [];
}

function layPlace(root: string, place: Value): void {
  for (const folder of field(place, 'folders') as Value[])
    mkdirSync(root + pyStr(folder), { recursive: true });
  for (const [path, text] of entries(field(place, 'files'))) {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, pyStr(text));
    chmodSync(root + path, 0o644);
  }
  const manager = field(field(place, 'grains'), 'os_family') === 'Debian' ? 'dpkg' : 'rpm';
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  writeFileSync(join(root, 'usr/bin', manager), '#!/bin/sh\n', { mode: 0o755 });
}

function filesBelow(root: string): Dict {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(root, 'usr')));
  const found = names
    .sort()
    .map((path): [Value, Value] => [
      path.slice(root.length),
      [readFileSync(path, 'utf8'), (statSync(path).mode & 0o7777).toString(8).padStart(4, '0')],
    ]);
  return new Map(found);
}

async function answerTo(ctx: FakeStateContext, call: Value): Promise<string> {
  const [fun, args = [], kwargs = dict()] = call as [string, Value[]?, Dict?];
  if (fun.startsWith('network.')) {
    try {
      return pyRepr(await runState(ctx, fun, new Map([['name', args[0] ?? null], ...kwargs])));
    } catch (error) {
      return `error: ${String(error)}`;
    }
  }
  const published = kwargs.size === 0 ? args : [...args, new Map([['__kwarg__', true], ...kwargs])];
  const answer = await answerOfValues(`ip.${fun}`, ctx, published);
  return 'error' in answer ? `error: ${answer.error}` : pyRepr(answer.value);
}

/** The calls of functions that Salt made; keywords in any order. */
function calledText(rows: readonly Value[]): string[] {
  return rows.map((row) => {
    const [fun, args, kwargs] = row as [string, Value[], Dict];
    const named = entries(kwargs).map(([key, value]) => `${key}=${pyRepr(value)}`);
    return `${fun} ${pyRepr(args)} ${named
      .filter((word) => !word.startsWith('python_shell'))
      .sort()
      .join(' ')}`;
  });
}

/** Modules whose functions note their calls and answer what the case says. */
function doubledModules(answers: Value, called: string[]): ModuleEntry[] {
  const known = new Map(entries(answers));
  const modules = new Map<string, Record<string, FunctionSpec>>();
  for (const fun of DOUBLED.split(' ')) {
    const [module = '', name = ''] = fun.split('.');
    const functions = modules.get(module) ?? {};
    const run: FunctionSpec['run'] = (_ctx, _args, rest, kwargs) => {
      const named = entries(kwargs).map(([key, value]) => `${key}=${pyRepr(value)}`);
      // what is only looked at may be asked in another order, and programs are started without a shell
      if (fun !== 'network.interfaces')
        called.push(
          `${fun} ${pyRepr([...rest])} ${named
            .filter((word) => !word.startsWith('python_shell'))
            .sort()
            .join(' ')}`,
        );
      return known.get(fun) ?? null;
    };
    functions[name] = { doc: '', returns: '', varargs: 'args', kwargs: 'kwargs', run };
    modules.set(module, functions);
  }
  return [...modules].map(([name, functions]) => ({
    ...{ name, file: name },
    load: () => Promise.resolve(defineModule({ name, file: name, doc: '', functions })),
  }));
}

async function playCase(
  record: Value,
  root: string,
): Promise<readonly [answers: string[], called: string[], files: Dict]> {
  const place = field(record, 'place');
  layPlace(root, place);
  const called: string[] = [];
  const table = [
    ...MODULE_TABLE.filter(({ name }) => name === 'ip'),
    ...doubledModules(field(place, 'answers'), called),
  ];
  const ctx = fakeStateContext({
    grains: field(place, 'grains') as Dict,
    test: truthy(field(place, 'test')),
    registry: { table },
  });
  const view = new MachineView({
    root,
    folder: root,
    base: [],
    scripts: [],
    environment: { PATH: '/usr/bin' },
  });
  const answers: string[] = [];
  await view.within(async () => {
    for (const call of field(record, 'calls') as Value[])
      answers.push(await answerTo(ctx, field(call, 'call')));
  });
  return [answers, called, filesBelow(root)];
}

/** What Salt answered, as ours is written. */
function saltsAnswer(row: Value): string {
  const error = field(row, 'error');
  return error === null ? pyRepr(field(row, 'value')) : `error: ${pyStr(error).replace(/^TypeError: /, '')}`;
}

const records = parseJson(readFileSync(join(FOLDER, 'recorded.json'), 'utf8')) as Value[];
const differences = JSON.parse(readFileSync(join(FOLDER, 'differences.json'), 'utf8')) as Differences;

for (const record of records) {
  const name = pyStr(field(record, 'case'));
  test(`network - ${pyStr(field(field(field(record, 'place'), 'grains'), 'os_family'))}: ${name}`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'network-'));
    const umask = process.umask(0o022);
    t.after(() => {
      process.umask(umask);
      rmSync(root, { recursive: true, force: true });
    });
    const [answers, called, files] = await playCase(record, root);
    const expect = (part: string, ours: string, salts: string): void => {
      const different = differences[`${name}: ${part}`];
      if (process.env['SHOW_DIFFERENCES'] !== undefined && ours !== (different?.ours ?? salts))
        process.stdout.write(`${JSON.stringify({ [`${name}: ${part}`]: { salts, ours } }, null, 1)}\n`);
      else assert.equal(ours, different?.ours ?? salts, `${name}: ${part}`);
    };
    for (const [i, row] of (field(record, 'calls') as Value[]).entries())
      expect(`call ${i + 1}`, answers[i] ?? '', saltsAnswer(row));
    expect('functions called', called.join('\n'), calledText(field(record, 'called') as Value[]).join('\n'));
    const expected = new Map([...entries(field(record, 'files'))].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect('files', pyRepr(files), pyRepr(expected));
  });
}
