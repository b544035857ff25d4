/** What may be asked of the module that decides, and what it answers. */
import type { Value } from '../../python/values/value.ts';

/** Which of the master's clients a function is called through. */
export type AccessClient = 'local' | 'runner' | 'wheel';

/** A rule and where it stands, for whoever asks why. */
export interface GivenRule {
  /** In Salt's forms: a regular expression for a function, `@runner`, `{target: [functions]}` … */
  readonly rule: Value;
  /** The option and the name in it under which the rule stands, e.g. `external_auth pam alice`. */
  readonly source: string;
}

/** What somebody who has shown who he is may do. */
export type Rights =
  { readonly kind: 'full' } | { readonly kind: 'limited'; readonly rules: readonly GivenRule[] };

/** A job on minions. */
export interface LocalQuestion {
  readonly client: 'local';
  readonly funs: readonly string[];
  /** The argument list of each function; keywords in a mapping with `__kwarg__` at its end. */
  readonly args: readonly Value[];
  /** The minions that the target is predicted to reach. */
  readonly minions: readonly string[];
  /** The minions that a target expression of a rule reaches. */
  readonly minionsOf: (expression: string) => ReadonlySet<string>;
  /** The rules go down with the job: a prediction without minions is left to the masters below (`order_masters`). */
  readonly isDecidedBelow?: boolean;
  /** Fields of the request that no list of functions can allow: how a minion runs a job, where its returner writes. */
  readonly beyondRules?: readonly string[];
}

/** A function of the master itself. */
export interface MasterQuestion {
  readonly client: 'runner' | 'wheel';
  readonly fun: string;
  /** The arguments; keywords in a mapping with `__kwarg__` at the end. */
  readonly args: readonly Value[];
}

/** May he do this? */
export type Question = LocalQuestion | MasterQuestion;

/** The answer: the rules that allow it, one for each function, or why it is refused. */
export type Decision =
  | { readonly allowed: true; readonly rules: readonly GivenRule[] }
  | { readonly allowed: false; readonly reason: string };
