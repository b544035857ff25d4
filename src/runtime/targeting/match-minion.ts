/** The minion's side: does a target mean me? (3006.16 salt/matchers/*_match.py) */
import type { BrineError } from '../../errors/errors.ts';
import { PatternBudgetError, StepAllowance } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { evaluate } from './compound-evaluate.ts';
import { isInNetwork, parseIpAddress, type IpNetwork } from '../../python/ipaddress.ts';
import { TargetError, type Subject, type Target, type Term } from './target.ts';

/** Steps that the regular expressions of one target may take on one minion. */
const MAX_STEPS = 2_000_000;

/**
 * True when a target means a minion.
 *
 * @param report called with the reason when the target cannot be evaluated on a minion and therefore does not match
 */
export function matchMinion(target: Target, subject: Subject, report?: (fault: BrineError) => void): boolean {
  const allowance = new StepAllowance(MAX_STEPS);
  try {
    return matches(target, subject, allowance, report);
  } catch (error) {
    if (!(error instanceof PatternBudgetError)) throw error;
    report?.(error);
    return false;
  }
}

function matches(
  target: Target,
  subject: Subject,
  allowance: StepAllowance,
  report: ((fault: BrineError) => void) | undefined,
): boolean {
  switch (target.type) {
    case 'compound':
    case 'nodegroup':
      if (target.minionFault) report?.(target.minionFault);
      if (target.minionFault) return false;
      return evaluate(target.root, subject.id, (term) => matchesTerm(term, subject, allowance));
    case 'compound_pillar_exact':
      report?.(new TargetError('compound_pillar_exact targets are evaluated on the master only'));
      return false;
    case 'list':
      return target.ids.has(subject.id);
    case 'range':
      report?.(new TargetError('Range targets need the range library, which minions do not have'));
      return false;
    case 'data':
      return matchesDatastore(target, subject);
    case 'data_pcre':
      return false;
    default:
      return matchesTerm(target, subject, allowance);
  }
}

function matchesTerm(term: Term, subject: Subject, allowance: StepAllowance): boolean {
  switch (term.type) {
    case 'glob':
      return term.glob.matches(subject.id);
    case 'pcre':
      return term.pattern.test(subject.id, 'start', allowance);
    case 'grain':
    case 'grain_pcre':
      return term.minionMatcher.matches(subject.grains, allowance);
    case 'pillar':
    case 'pillar_pcre':
    case 'pillar_exact':
      return term.minionMatcher.matches(subject.pillar, allowance);
    case 'ipcidr':
      return hasAddressIn(term.network, subject.grains);
  }
}

/** True when one of the addresses in the grains is the network's address or lies in the network. */
export function hasAddressIn(network: IpNetwork, grains: Dict): boolean {
  const value = grains.get(network.address.family === 4 ? 'ipv4' : 'ipv6');
  const isInside = (item: Value | undefined): boolean => {
    const address = typeof item === 'string' ? parseIpAddress(item) : undefined;
    return address !== undefined && isInNetwork(address, network);
  };
  return Array.isArray(value) ? value.some(isInside) : isInside(value);
}

function matchesDatastore(
  target: Extract<Target, { type: 'data' | 'data_pcre' }>,
  subject: Subject,
): boolean {
  const value = subject.datastore?.get(target.key);
  if (value === undefined || value === null) return false;
  if (Array.isArray(value))
    return value.some((member) => target.lowerGlob.matches(pyStr(member).toLowerCase()));
  if (isDict(value)) return value.has(target.glob.source);
  return typeof value === 'string' && target.glob.matches(value);
}
