/** A case: SLS of a public formula that are applied, and where its answers lie. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './snapshot.ts';

/** A line of `cases.json`. */
export interface AppliedCase {
  readonly name: string;
  /** Folder of the formula. */
  readonly formula: string;
  readonly sls: readonly string[];
  /** What takes it away again. */
  readonly clean?: readonly string[];
  /** Pillar data; without them a file of the formula is the pillar. */
  readonly pillar?: unknown;
  /** That file; its `pillar.example` where none is named. */
  readonly pillarFile?: string;
}

/** Salt's answer to one command. */
export interface StepAnswer {
  readonly step: string;
  readonly code: number | null;
  /** What was printed: by tag what states gave, or errors. */
  readonly answer: unknown;
  readonly stderr: string;
  readonly seconds: number;
  /** What is different on the machine from before the first step. */
  readonly files: Readonly<Record<string, Entry>>;
}

/** The cases of the table beside this file. */
export function readCases(root: string): AppliedCase[] {
  // the table is our own
  return JSON.parse(readFileSync(join(root, 'test/compare/applied/cases.json'), 'utf8')) as AppliedCase[];
}

/** The commands of a case, in their order; `syncs` where the formula has Python of its own. */
export function stepsOf(
  one: AppliedCase,
  syncs: boolean,
): { readonly step: string; readonly words: readonly string[] }[] {
  const apply = (sls: readonly string[], ...more: string[]): string[] => [
    'state.apply',
    sls.join(','),
    ...more,
  ];
  const clean = one.clean;
  return [
    ...(syncs ? [{ step: 'sync', words: ['saltutil.sync_all'] }] : []),
    { step: 'test', words: apply(one.sls, 'test=True') },
    { step: 'apply', words: apply(one.sls) },
    { step: 'again', words: apply(one.sls) },
    ...(clean === undefined
      ? []
      : [
          { step: 'clean test', words: apply(clean, 'test=True') },
          { step: 'clean', words: apply(clean) },
        ]),
  ];
}
