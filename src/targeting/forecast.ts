/** The master's side: which minions should answer? (3006.16 salt/utils/minions.py `CkMinions`) */
import { BrineError } from '../errors/errors.ts';
import { StepAllowance } from '../text/pcre.ts';
import type { Value } from '../values/value.ts';
import { hasAddressIn } from './match-minion.ts';
import {
  TargetError,
  type CompoundNode,
  type CompoundTarget,
  type Fleet,
  type Forecast,
  type Target,
  type Term,
} from './target.ts';

/** Steps that the regular expressions of one target may take, over all minions together. */
const MAX_STEPS = 5_000_000;

/** How to treat minions the master knows little about. */
export interface ForecastOptions {
  /**
   * True (default): minions without cached data count as matching grain, pillar and address targets, as they may well answer.
   * False, for access checks and the mine: they do not.
   */
  readonly greedy?: boolean;
}

/**
 * The minions that should answer a target. Never throws: a target that cannot be evaluated has no minions and a `fault`.
 */
export function forecast(target: Target, fleet: Fleet, options: ForecastOptions = {}): Forecast {
  try {
    return new Forecaster(fleet, options.greedy ?? true).forecast(target);
  } catch (error) {
    if (error instanceof BrineError) return { minions: [], missing: [], fault: error };
    throw error;
  }
}

/** The accepted minions whose addresses hold a connection to the master (Salt's `connected_ids`). */
export function connectedIds(fleet: Fleet): string[] {
  const connected = fleet.connectedAddresses;
  if (!connected || fleet.cacheEnabled === false) return [];
  const isConnected = (value: Value): boolean => typeof value === 'string' && connected.has(value);
  return fleet.ids.filter((id) => {
    const grains = fleet.data(id)?.grains;
    return ['ipv4', 'ipv6'].some((family) => {
      const addresses = grains?.get(family);
      return Array.isArray(addresses) && addresses.some(isConnected);
    });
  });
}

/** Evaluates one target. Minions are numbers here: indexes into the fleet's ids. */
class Forecaster {
  private readonly fleet: Fleet;
  private readonly greedy: boolean;
  private readonly cached: boolean;
  private readonly allowance = new StepAllowance(MAX_STEPS);
  private positions: ReadonlyMap<string, number> | undefined;

  constructor(fleet: Fleet, greedy: boolean) {
    this.fleet = fleet;
    this.greedy = greedy;
    this.cached = fleet.cacheEnabled ?? true;
  }

  forecast(target: Target): Forecast {
    switch (target.type) {
      case 'compound':
      case 'compound_pillar_exact':
      case 'nodegroup':
        return this.compound(target);
      case 'list':
        return this.list(target.ids);
      case 'range':
        throw new TargetError(
          'Range targets need a range server, which is not supported; use another target type',
        );
      case 'data':
      case 'data_pcre':
        throw new TargetError(`The master cannot tell which minions match a ${target.type} target`);
      default:
        return { minions: this.names(this.term(target, this.everyone())), missing: [] };
    }
  }

  private list(ids: Iterable<string>): Forecast {
    const minions: string[] = [];
    const missing: string[] = [];
    for (const id of ids) (this.position(id) === undefined ? missing : minions).push(id);
    return { minions, missing };
  }

  private compound(target: CompoundTarget): Forecast {
    // Salt compat: without cached data compound targets are not evaluated at all.
    if (!this.cached) return { minions: this.fleet.ids, missing: [] };
    if (target.masterFault) throw target.masterFault;
    const minions = this.names(this.node(target.root, this.everyone()));
    const missing = [...new Set(target.listed)].filter((id) => this.position(id) === undefined);
    return { minions, missing };
  }

  /** The candidates that match a node, in no particular order. */
  private node(node: CompoundNode, candidates: Candidates): readonly number[] {
    switch (node.op) {
      case 'nobody':
        return [];
      case 'term':
        return this.term(node.term, candidates);
      case 'not':
        return candidates.without(this.node(node.of, candidates));
      case 'and': {
        let left = candidates;
        for (const part of node.of) left = new Candidates(this.node(part, left), this.fleet.ids.length);
        return left.list;
      }
      case 'or':
        return this.union(node.of, candidates);
    }
  }

  private union(parts: readonly CompoundNode[], candidates: Candidates): number[] {
    const total = this.fleet.ids.length;
    const seen = new Uint8Array(total);
    const found: number[] = [];
    let left = candidates;
    let removed = 0;
    for (const part of parts) {
      for (const index of this.node(part, left)) {
        if (seen[index] === 1) continue;
        seen[index] = 1;
        found.push(index);
        removed++;
      }
      // Who matched already need not be looked at again, but making a new list for every one of them costs more.
      if (removed * 8 < left.list.length || removed === 0) continue;
      left = new Candidates(
        left.list.filter((index) => seen[index] === 0),
        total,
      );
      removed = 0;
    }
    return found;
  }

  private term(term: Term, candidates: Candidates): readonly number[] {
    switch (term.type) {
      case 'glob':
        return this.byId(candidates, (id) => term.glob.matches(id));
      case 'pcre':
        return this.byId(candidates, (id) => term.pattern.test(id, 'start', this.allowance));
      case 'list':
        return this.named(term.ids, candidates);
      case 'grain':
      case 'grain_pcre':
        return this.byData(candidates, ({ grains }) => term.matcher.matches(grains ?? null, this.allowance));
      case 'pillar':
      case 'pillar_pcre':
      case 'pillar_exact':
        return this.byData(candidates, ({ pillar }) => term.matcher.matches(pillar ?? null, this.allowance));
      case 'ipcidr':
        return this.byData(
          candidates,
          ({ grains }) => grains !== undefined && hasAddressIn(term.network, grains),
        );
    }
  }

  private byId(candidates: Candidates, matches: (id: string) => boolean): number[] {
    return candidates.list.filter((index) => matches(this.fleet.ids[index] as string));
  }

  private byData(
    candidates: Candidates,
    matches: (data: NonNullable<ReturnType<Fleet['data']>>) => boolean,
  ): readonly number[] {
    if (!this.cached) return this.greedy ? candidates.list : [];
    return this.candidatesWithData(candidates, matches);
  }

  private candidatesWithData(
    candidates: Candidates,
    matches: (data: NonNullable<ReturnType<Fleet['data']>>) => boolean,
  ): number[] {
    return candidates.list.filter((index) => {
      const data = this.fleet.data(this.fleet.ids[index] as string);
      return data ? matches(data) : this.greedy;
    });
  }

  private named(ids: ReadonlySet<string>, candidates: Candidates): number[] {
    if (ids.size > candidates.list.length) return this.byId(candidates, (id) => ids.has(id));
    const found: number[] = [];
    for (const id of ids) {
      const index = this.position(id);
      if (index !== undefined && candidates.has(index)) found.push(index);
    }
    return found;
  }

  private everyone(): Candidates {
    return new Candidates(
      this.fleet.ids.map((_, index) => index),
      this.fleet.ids.length,
    );
  }

  private position(id: string): number | undefined {
    this.positions ??= new Map(this.fleet.ids.map((known, index) => [known, index]));
    return this.positions.get(id);
  }

  private names(indexes: readonly number[]): string[] {
    return [...indexes].sort((a, b) => a - b).map((index) => this.fleet.ids[index] as string);
  }
}

/** Minions still in question. Membership is prepared when first asked for. */
class Candidates {
  readonly list: readonly number[];
  private readonly total: number;
  private members: { has(index: number): boolean } | undefined;

  constructor(list: readonly number[], total: number) {
    this.list = list;
    this.total = total;
  }

  has(index: number): boolean {
    if (this.list.length === this.total) return true;
    this.members ??= membership(this.list, this.total);
    return this.members.has(index);
  }

  without(others: readonly number[]): readonly number[] {
    if (others.length === 0) return this.list;
    if (others.length === this.list.length) return [];
    const removed = membership(others, this.total);
    return this.list.filter((index) => !removed.has(index));
  }
}

/** A set for few numbers, flags for many. */
function membership(list: readonly number[], total: number): { has(index: number): boolean } {
  if (list.length * 16 < total) return new Set(list);
  const flags = new Uint8Array(total);
  for (const index of list) flags[index] = 1;
  return { has: (index) => flags[index] === 1 };
}
