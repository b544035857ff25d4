/**
 * Options that cannot hold together are refused, and options that do nothing alone are warned of: none is dropped
 * without a word.
 */
import { UsageError } from '../../errors/errors.ts';
import { allOptions, optionName, type OptionRules, type ParsedOptions } from './optparse.ts';

const NO_RULES: OptionRules = { contradictions: [] };

/** True when the option asks for something: a switch that is on, a value that is not empty. */
function isAsked(parsed: ParsedOptions, dest: string): boolean {
  if (!parsed.isExplicit(dest)) return false;
  const option = allOptions(parsed.program).find((one) => one.dest === dest);
  return option?.action === 'false' ? parsed.get(dest) === false : parsed.flag(dest);
}

/** True for an option of a Saltfile that what was typed rules out: a default of a site yields. */
export function isRuledOut(parsed: ParsedOptions, dest: string): boolean {
  const { contradictions } = parsed.program.rules ?? NO_RULES;
  const isTyped = (name: string): boolean => name !== dest && parsed.isTyped(name) && isAsked(parsed, name);
  return contradictions.some(
    ({ these, others }) =>
      (these.includes(dest) && others.some(isTyped)) || (others.includes(dest) && these.some(isTyped)),
  );
}

/** @throws UsageError for options that cannot hold together */
export function refuseContradictions(parsed: ParsedOptions): void {
  const { contradictions } = parsed.program.rules ?? NO_RULES;
  for (const { these, others, why } of contradictions) {
    const one = these.find((dest) => isAsked(parsed, dest));
    const other = others.find((dest) => dest !== one && isAsked(parsed, dest));
    if (one === undefined || other === undefined) continue;
    throw new UsageError(
      `option ${nameOf(parsed, one)} cannot be combined with ${nameOf(parsed, other)}: ${why}`,
    );
  }
}

/** Says which of the given options do nothing because another one is not there, or has such a value. */
export function warnOfIdle(parsed: ParsedOptions, warn: (line: string) => void): void {
  for (const { option, needs } of parsed.program.rules?.dependences ?? []) {
    if (!isAsked(parsed, option) || needs.some((dest) => isAsked(parsed, dest))) continue;
    const names = needs.map((dest) => nameOf(parsed, dest)).join(' or ');
    warn(`${parsed.program.name}: ${nameOf(parsed, option)} has no effect without ${names}.`);
  }
  for (const { option, beside, values, why } of parsed.program.rules?.idle ?? []) {
    const value = parsed.get(beside);
    const isIdle =
      values === undefined ? isAsked(parsed, beside) : typeof value === 'string' && values.includes(value);
    if (!isAsked(parsed, option) || !isIdle) continue;
    const other = [nameOf(parsed, beside), ...(values === undefined ? [] : [String(value)])].join(' ');
    warn(`${parsed.program.name}: ${nameOf(parsed, option)} has no effect with ${other}: ${why}.`);
  }
}

function nameOf({ program }: ParsedOptions, dest: string): string {
  const option = allOptions(program).find((one) => one.dest === dest);
  return option === undefined ? dest : optionName(option);
}
