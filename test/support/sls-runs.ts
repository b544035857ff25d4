/** Runs of SLS that a test writes itself, with the built-in states. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { ownOutcome, type RunOutcome } from './state-runs.ts';

/** What a call has beside its files. */
export interface CalledWithOptions {
  readonly opts?: Dict;
  readonly kwargs?: Dict;
  readonly grains?: Dict;
}

/** Calls a function on a minion with these SLS files. */
export async function calledWith(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  fun: string,
  args: Value[],
  { opts = new Map(), kwargs = new Map(), grains = new Map() }: CalledWithOptions = {},
): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'sls-runs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'srv', path)), { recursive: true });
    writeFileSync(join(folder, 'srv', path), text);
  }
  const roots = dict({ file_roots: { base: [join(folder, 'srv')] } });
  return ownOutcome({ name: fun, fun, args, kwargs, opts: new Map([...roots, ...opts]), grains }, folder);
}

/** Runs one SLS. @returns each state as `module id: result comment`, in the order of the run */
export async function appliedSls(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  sls: string,
  options: CalledWithOptions = {},
): Promise<string[]> {
  const { value, error } = await calledWith(t, files, 'state.sls', [sls], options);
  if (!isDict(value ?? null)) throw new Error(`nothing was run: ${error ?? JSON.stringify(value)}`);
  const results = [...(value as Dict)].map(([tag, result]) => ({
    tag: String(tag).split('_|-'),
    result: result as Dict,
  }));
  results.sort((a, b) => Number(a.result.get('__run_num__')) - Number(b.result.get('__run_num__')));
  return results.map(
    ({ tag: [state, id], result }) =>
      `${String(state)} ${String(id)}: ${String(result.get('result'))} ${String(result.get('comment')).split('\n')[0] ?? ''}`,
  );
}
