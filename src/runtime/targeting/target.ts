/** What a target is: the names of its types, its parsed forms, and the error for text that is none. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Glob } from '../../python/text/fnmatch.ts';
import type { PyPattern } from '../../python/regex/pattern.ts';
import type { SubdictMatcher } from '../../formats/data/subdict-match.ts';
import type { Dict } from '../../python/values/value.ts';
import type { IpNetwork } from '../../python/ipaddress.ts';

/** The values of `tgt_type`. */
export const TARGET_TYPES = [
  'glob',
  'pcre',
  'list',
  'grain',
  'grain_pcre',
  'pillar',
  'pillar_pcre',
  'pillar_exact',
  'nodegroup',
  'range',
  'ipcidr',
  'compound',
  'compound_pillar_exact',
  'data',
  'data_pcre',
] as const;

/** A `tgt_type`. */
export type TargetType = (typeof TARGET_TYPES)[number];

/** True for the name of a target type. */
export function isTargetType(name: string): name is TargetType {
  return (TARGET_TYPES as readonly string[]).includes(name);
}

/** Types that look into grains or pillar. */
export type DataType = 'grain' | 'grain_pcre' | 'pillar' | 'pillar_pcre' | 'pillar_exact';

/** A target that cannot be understood, or that exceeds a limit. It matches no minion. */
export class TargetError extends BrineError {
  static override readonly errorCode: ErrorCode = 'target-invalid';
  override readonly name = 'TargetError';
  /** Index of the fault in the target's text, in UTF-16 units; undefined when the target as a whole is at fault. */
  readonly position: number | undefined;

  constructor(message: string, position?: number, cause?: unknown) {
    super(
      position === undefined ? message : `${message} (at position ${position})`,
      cause === undefined ? undefined : { cause },
    );
    this.position = position;
  }
}

export interface GlobTarget {
  readonly type: 'glob';
  readonly glob: Glob;
}

export interface PcreTarget {
  readonly type: 'pcre';
  readonly pattern: PyPattern;
}

export interface ListTarget {
  readonly type: 'list';
  /** In the order given, each once. */
  readonly ids: ReadonlySet<string>;
}

export interface DataTarget {
  readonly type: DataType;
  readonly matcher: SubdictMatcher;
  /** Salt compat: the minion uses `:` for `pillar_pcre` and `pillar_exact`, whatever the delimiter says. */
  readonly minionMatcher: SubdictMatcher;
}

export interface IpcidrTarget {
  readonly type: 'ipcidr';
  readonly network: IpNetwork;
}

export interface RangeTarget {
  readonly type: 'range';
  readonly expression: string;
}

export interface DatastoreTarget {
  readonly type: 'data' | 'data_pcre';
  readonly key: string;
  /** For text. */
  readonly glob: Glob;
  /** For members of lists, whose case does not matter. */
  readonly lowerGlob: Glob;
}

export interface CompoundTarget {
  readonly type: 'compound' | 'compound_pillar_exact' | 'nodegroup';
  readonly root: CompoundNode;
  /** The ids of the lists in it that are reported as missing when they are not accepted, in the order given. */
  readonly listed: readonly string[];
  /** Words that can never match but do not make the expression invalid (`G@os`); for the log or for a refusal. */
  readonly faults: readonly TargetError[];
  /** Set when the master understands the expression but a minion does not (`( a`). */
  readonly minionFault: TargetError | undefined;
  /** Salt compat: true when the master cannot evaluate it although a minion can (`( )`). */
  readonly masterFault: TargetError | undefined;
}

/** One word of a compound target that is more than names of minions. */
export type Term = GlobTarget | PcreTarget | DataTarget | IpcidrTarget;

/** A compound target's tree. */
export type CompoundNode =
  | { readonly op: 'term'; readonly term: Term }
  /** The minions with one of these ids. */
  | { readonly op: 'ids'; readonly ids: ReadonlySet<string> }
  | { readonly op: 'not'; readonly of: CompoundNode }
  | { readonly op: 'and'; readonly of: readonly CompoundNode[] }
  | {
      readonly op: 'or';
      readonly of: readonly CompoundNode[];
      /** Further alternatives, each for one id only. */
      readonly byId?: ReadonlyMap<string, readonly CompoundNode[]>;
    }
  | { readonly op: 'nobody' };

/** A target, ready to be matched. Made by `parseTarget`. */
export type Target = Term | ListTarget | CompoundTarget | DatastoreTarget | RangeTarget;

/** The minion a target is tried on. */
export interface Subject {
  readonly id: string;
  readonly grains: Dict;
  readonly pillar: Dict;
  /** The minion's `data` module store, for the type `data`; without it nothing matches. */
  readonly datastore?: Dict;
}

/** What the master knows of its minions. */
export interface Fleet {
  /** Accepted keys, sorted without regard to case. Results come in this order. */
  readonly ids: readonly string[];
  /** Cached data of a minion, or undefined when nothing is cached. */
  data(id: string): CachedMinion | undefined;
  /**
   * Prepares for asking about many minions.
   * @returns what gives at least the named parts of a minion's data; default: {@link data}
   */
  select?(wanted: WantedData): (id: string) => CachedMinion | undefined;
  /** False with `minion_data_cache: False`. Default true. */
  readonly cacheEnabled?: boolean;
  /** Addresses that hold a connection to the publish port, for presence. */
  readonly connectedAddresses?: ReadonlySet<string>;
}

/** Parts of grains and pillar, by the names of their uppermost keys; `all` for the whole. */
export interface WantedData {
  readonly grains: ReadonlySet<string> | 'all';
  readonly pillar: ReadonlySet<string> | 'all';
}

/** Grains and pillar as the master last saw them. */
export interface CachedMinion {
  readonly grains?: Dict | undefined;
  readonly pillar?: Dict | undefined;
  /**
   * The pillar by which rights are decided, where it is another one: made without anything that the minion has asked
   * for.
   */
  readonly rightsPillar?: Dict | undefined;
}

/** The minions that should answer. */
export interface Forecast {
  readonly minions: readonly string[];
  /** Ids named one by one that are not accepted. */
  readonly missing: readonly string[];
  /** Why there are none, when the target could not be evaluated. */
  readonly fault?: BrineError;
}
