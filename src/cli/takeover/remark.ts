/** What a look at a site finds, as reports tell it. */

/**
 * What becomes of a thing: `missing` is not served, `differs` works otherwise or has to be looked at, `gone` is what a
 * later Salt no longer has, `served` is told where it is good to know.
 */
export type Verdict = 'served' | 'differs' | 'missing' | 'gone';

/** The parts of a site, in the order of the report. */
export const SUBJECTS = [
  'salt',
  'configuration of the master',
  'configuration of the minion',
  'states, pillar and reactions',
  'modules of the site',
  'data',
] as const;

/** A part of a site. */
export type Subject = (typeof SUBJECTS)[number];

/** One thing that was found. */
export interface Remark {
  readonly subject: Subject;
  readonly verdict: Verdict;
  /** A sentence: what, and what becomes of it. */
  readonly message: string;
  /** The file in which it stands. */
  readonly path?: string;
  /** Counted from 1. */
  readonly line?: number;
}
