/** Applying one SLS with the built `salt-call --local`, for tests of states on real servers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ours, runProgram } from './fleet.ts';

/** One result of a run. */
export interface AppliedState {
  readonly result: boolean | null;
  readonly comment: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** A minion without a master, with one SLS. */
export class Applications {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  /** All that the runs printed, logs included. */
  printed = '';

  /** @param minion further lines of its configuration */
  constructor(
    t: { after(run: () => void): void },
    { env = {}, minion = [] }: { readonly env?: NodeJS.ProcessEnv; readonly minion?: readonly string[] } = {},
  ) {
    this.folder = mkdtempSync(join(tmpdir(), 'brine-states-'));
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
    this.#env = { ...process.env, ...env };
    const srv = join(this.folder, 'srv');
    mkdirSync(srv);
    writeFileSync(
      join(this.folder, 'minion'),
      [`root_dir: ${this.folder}`, `file_roots: {base: [${srv}]}`, 'id: alone', ...minion, ''].join('\n'),
    );
  }

  /** Applies an SLS. @returns the results by the ids of the SLS */
  async apply(sls: string, { test = false } = {}): Promise<Map<string, AppliedState>> {
    writeFileSync(join(this.folder, 'srv', 'case.sls'), sls);
    const words = ['-c', this.folder, '--local', '--out', 'json', '-l', 'info', 'state.apply', 'case'];
    const program = join(ours.folder, 'salt-call');
    const ended = await runProgram(program, [...words, `test=${test ? 'True' : 'False'}`], {
      env: this.#env,
    });
    this.printed += ended.stdout + ended.stderr;
    const { local } = JSON.parse(ended.stdout) as {
      local: Record<string, AppliedState & { __id__: string }>;
    };
    return new Map(Object.values(local).map((state) => [state.__id__, state]));
  }

  /** Calls one function. @returns what it answered */
  async call(...words: readonly string[]): Promise<unknown> {
    const line = ['-c', this.folder, '--local', '--out', 'json', '-l', 'info', ...words];
    const ended = await runProgram(join(ours.folder, 'salt-call'), line, { env: this.#env });
    this.printed += ended.stdout + ended.stderr;
    return (JSON.parse(ended.stdout) as { local: unknown }).local;
  }
}

/** The ids of the states whose result is not this one, with their comments. */
export function otherThan(
  results: ReadonlyMap<string, AppliedState>,
  result: boolean | null,
): [id: string, comment: string][] {
  return [...results]
    .filter(([, state]) => state.result !== result)
    .map(([id, { comment }]) => [id, comment]);
}

/** The ids of the states that have changed something. */
export function changedIn(results: ReadonlyMap<string, AppliedState>): string[] {
  return [...results].filter(([, { changes }]) => Object.keys(changes).length > 0).map(([id]) => id);
}
