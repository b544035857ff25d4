/**
 * Having a real Salt run a file of ours: one `salt-call` renders it with the renderer `py`, since each start costs a
 * second.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realSalt, runProgram, type Finished } from '../support/fleet.ts';

/** What is run, and on what. */
export interface DriverRun {
  /** Python with a function `run`, in which FILE stands for its own path. */
  readonly driver: string;
  /** The minion's configuration. */
  readonly config: string;
  /** What stands beside the file for it to read: a name, and data for JSON. */
  readonly input: readonly [name: string, data: unknown];
}

/**
 * Runs a file with a real Salt 3006, or the version that `BRINE_SALT_VERSION` names: 3008 for what 3006.16 has lost.
 * @param folder where the minion's files go
 * @throws Error when none is found
 */
export async function runDriver(folder: string, { driver, config, input }: DriverRun): Promise<Finished> {
  const version = process.env['BRINE_SALT_VERSION'] ?? '3006';
  const salt = realSalt(version);
  if (salt === undefined)
    throw new Error(`No real Salt ${version} is found; BRINE_REAL_SALT names its folder.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'minion'), config);
  const [name, data] = input;
  writeFileSync(join(folder, name), JSON.stringify(data));
  const path = join(folder, 'driver.py');
  writeFileSync(path, driver.replace('FILE', JSON.stringify(path)));
  return runProgram(join(salt.folder, 'salt-call'), [
    // the answers are in files; any other outputter that is named here is used by the functions of `out`, too
    ...['-c', folder, '--local', '-l', 'quiet', '--out', 'highstate'],
    ...['slsutil.renderer', path, 'default_renderer=py'],
  ]);
}

/**
 * Runs a file that reads `cases.json` and writes a line of JSON for each case into `outcomes.json`.
 * @returns the lines, read
 * @throws Error naming the case that it ended in
 */
export async function runCases(
  folder: string,
  cases: readonly unknown[],
  { driver, config }: Pick<DriverRun, 'driver' | 'config'>,
): Promise<unknown[]> {
  const { code, stdout, stderr } = await runDriver(folder, { driver, config, input: ['cases.json', cases] });
  const lines = readFileSync(join(folder, 'outcomes.json'), 'utf8').split('\n').filter(Boolean);
  if (lines.length < cases.length)
    throw new Error(`the real salt-call ended with ${code} in case ${lines.length}: ${stdout}${stderr}`);
  return lines.map((line) => JSON.parse(line) as unknown);
}
