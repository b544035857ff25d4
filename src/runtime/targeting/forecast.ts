/** The master's side: which minions should answer? (3006.16 salt/utils/minions.py `CkMinions`) */
import { BrineError } from '../../errors/errors.ts';
import { StepAllowance } from '../../python/regex/pattern.ts';
import type { Value } from '../../python/values/value.ts';
import { evaluate } from './compound-evaluate.ts';
import { hasAddressIn } from './match-minion.ts';
import { wantedData } from './wanted-data.ts';
import {
  TargetError,
  type CachedMinion,
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
   * True (default): minions without cached data count as matching grain, pillar and address targets, as they may well
   * answer. False, for access checks and the mine: they do not.
   */
  readonly greedy?: boolean;
  /** True for access checks: goes by the pillar in which nothing is as the minion has asked for it. */
  readonly forRights?: boolean;
}

/**
 * The minions that should answer a target. Never throws: a target that cannot be evaluated has no minions and a
 * `fault`.
 */
export function forecast(target: Target, fleet: Fleet, options: ForecastOptions = {}): Forecast {
  try {
    return new Forecaster(fleet, options).forecast(target);
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

class Forecaster {
  readonly #fleet: Fleet;
  readonly #greedy: boolean;
  readonly #forRights: boolean;
  readonly #cacheEnabled: boolean;
  readonly #allowance = new StepAllowance(MAX_STEPS);

  constructor(fleet: Fleet, options: ForecastOptions) {
    this.#fleet = fleet;
    this.#greedy = options.greedy ?? true;
    this.#forRights = options.forRights ?? false;
    this.#cacheEnabled = fleet.cacheEnabled ?? true;
  }

  forecast(target: Target): Forecast {
    switch (target.type) {
      case 'compound':
      case 'compound_pillar_exact':
      case 'nodegroup':
        return this.#compound(target);
      case 'list':
        return this.#list(target.ids);
      case 'range':
        throw new TargetError(
          'Range targets need a range server, which is not supported; use another target type',
        );
      case 'data':
      case 'data_pcre':
        throw new TargetError(`The master cannot tell which minions match a ${target.type} target`);
      default: {
        const matches = this.#termMatcher(target);
        return { minions: this.#fleet.ids.filter((id) => matches(target, id)), missing: [] };
      }
    }
  }

  #list(ids: ReadonlySet<string>): Forecast {
    const accepted = new Set(this.#fleet.ids);
    const minions = [...ids].filter((id) => accepted.has(id));
    return {
      minions,
      missing: minions.length === ids.size ? [] : [...ids].filter((id) => !accepted.has(id)),
    };
  }

  #compound(target: CompoundTarget): Forecast {
    // Salt compat: without cached data compound targets are not evaluated at all.
    if (!this.#cacheEnabled) return { minions: this.#fleet.ids, missing: [] };
    if (target.masterFault) throw target.masterFault;
    const matches = this.#termMatcher(target);
    let current = '';
    const matchesCurrent = (term: Term): boolean => matches(term, current);
    const minions = this.#fleet.ids.filter((id) => {
      current = id;
      return evaluate(target.root, id, matchesCurrent);
    });
    const { missing } = target.listed.length === 0 ? { missing: [] } : this.#list(new Set(target.listed));
    return { minions, missing };
  }

  /** Matches one word against one minion after the other; the data of the minion asked for last is kept at hand. */
  #termMatcher(target: Target): (term: Term, id: string) => boolean {
    const dataOf = this.#fleet.select?.(wantedData(target)) ?? ((id: string) => this.#fleet.data(id));
    let fetched: string | undefined;
    let data: CachedMinion | undefined;
    return (term, id) => {
      if (term.type === 'glob') return term.glob.matches(id);
      if (term.type === 'pcre') return term.pattern.test(id, 'start', this.#allowance);
      if (fetched !== id) {
        data = this.#cacheEnabled ? dataOf(id) : undefined;
        fetched = id;
      }
      return data ? this.#matchesData(term, data) : this.#greedy;
    };
  }

  #matchesData(
    term: Exclude<Term, { type: 'glob' | 'pcre' }>,
    { grains, pillar: asAskedFor, rightsPillar }: CachedMinion,
  ): boolean {
    const pillar = this.#forRights ? (rightsPillar ?? asAskedFor) : asAskedFor;
    switch (term.type) {
      case 'grain':
      case 'grain_pcre':
        return term.matcher.matches(grains ?? null, this.#allowance);
      case 'pillar':
      case 'pillar_pcre':
      case 'pillar_exact':
        return term.matcher.matches(pillar ?? null, this.#allowance);
      case 'ipcidr':
        return grains !== undefined && hasAddressIn(term.network, grains);
    }
  }
}
