/**
 * What is on the disk about a trial: `<base>/trial.json` while a version is tried, and `<base>/outcome.json` with what
 * became of the last one. Both are whole or not there, whenever the power fails.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../host/disk-sync.ts';
import { writeFileAtomic } from '../../host/files.ts';
import { isVersion } from './installation.ts';

/** A version on trial. */
export interface TrialRecord {
  readonly from: string;
  readonly to: string;
  /** The job that asked for it. */
  readonly jid: string;
  /** How often it was started; more than a few times is a circle of crashes. */
  readonly attempts: number;
  readonly trialMs: number;
  readonly memoryBytesMax: number;
  /** Of the last start: what is left of it is ended first. */
  readonly child: { readonly pid: number; readonly startTicks: string } | undefined;
}

/** What became of a trial, and at which step. */
export interface TrialOutcome {
  readonly result: boolean;
  readonly from: string;
  readonly to: string;
  readonly step: string;
  readonly comment: string;
  readonly jid: string;
  readonly atMs: number;
  readonly awayMs: number;
  /** Whether the master has heard of it by an event. */
  readonly isTold: boolean;
}

const TRIAL = 'trial.json';
const OUTCOME = 'outcome.json';

/** The trial under way. @returns undefined when there is none, or when nobody could make sense of it */
export function readTrial(base: string): TrialRecord | undefined {
  const found = read(join(base, TRIAL));
  if (found === undefined) return undefined;
  const { from, to, jid, attempts, trialMs, memoryBytesMax, child } = found;
  if (typeof from !== 'string' || typeof to !== 'string' || !isVersion(from) || !isVersion(to))
    return undefined;
  return {
    from,
    to,
    jid: String(jid),
    attempts: Number(attempts),
    trialMs: Number(trialMs),
    memoryBytesMax: Number(memoryBytesMax),
    child: childIn(child),
  };
}

function childIn(given: unknown): TrialRecord['child'] {
  if (typeof given !== 'object' || given === null) return undefined;
  const { pid, startTicks } = given as Record<string, unknown>;
  return typeof pid === 'number' && typeof startTicks === 'string' ? { pid, startTicks } : undefined;
}

/** Brings the record to the disk itself. @throws the system's error, as on a full disk */
export function writeTrial(base: string, record: TrialRecord): void {
  write(join(base, TRIAL), record);
}

/** The trial is over, whatever happens to the machine now. */
export function endTrial(base: string, outcome: TrialOutcome): void {
  write(join(base, OUTCOME), outcome);
  rmSync(join(base, TRIAL), { force: true });
  syncFolder(base);
}

/** What became of the last trial. */
export function readOutcome(base: string): TrialOutcome | undefined {
  const found = read(join(base, OUTCOME));
  return found === undefined ? undefined : (found as unknown as TrialOutcome);
}

/** The master has heard of it. */
export function noteTold(base: string, outcome: TrialOutcome): void {
  write(join(base, OUTCOME), { ...outcome, isTold: true });
}

function write(path: string, value: TrialRecord | TrialOutcome): void {
  writeFileAtomic(path, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o644, durable: true });
}

function read(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
