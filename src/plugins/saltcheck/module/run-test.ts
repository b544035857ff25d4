/**
 * One test of saltcheck: is it one, what it calls, and what is asserted of that (3006.16 salt/modules/saltcheck.py
 * `SaltCheck`).
 */
import { DEFAULT_DELIMITER, traverse } from '../../../formats/data/traverse.ts';
import { toJson } from '../../../formats/json/text.ts';
import { messageOf } from '../../../errors/errors.ts';
import { roundTo } from '../../../python/values/number-format.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, float, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { ASSERTIONS, castTo, checked } from './assertions.ts';
import { settingFlag } from '../../shared/settings.ts';

/** The function that makes ready for other tests, or cleans up after them; it needs no assertion. */
export const STATE_APPLY = 'saltcheck.state_apply';

/** How results are shown. */
interface Shown {
  readonly details: boolean;
  readonly result: boolean;
}

/** A test's call and what it gave. */
interface Called {
  readonly fun: string;
  readonly args: Value;
  readonly output: Value;
}

/** The value of the first of some keys that is there. */
function first(test: Dict, keys: readonly string[], otherwise: Value = null): Value {
  const key = keys.find((one) => test.has(one));
  return key === undefined ? otherwise : (test.get(key) ?? null);
}

const expectedOf = (test: Dict): Value => first(test, ['expected_return', 'expected-return']);

/**
 * Runs a test.
 * @returns `{status, duration}`, with more where several assertions are made or `output_details` is set
 */
export async function runTest(ctx: ModuleContext, test: Value): Promise<Dict> {
  const beganMs = ctx.clock.monotonicMs();
  const details = await settingFlag(ctx, ['saltcheck_output_details', false]);
  const fault = await faultOf(ctx, test);
  let result = dict({ status: 'Fail - invalid test' });
  if (fault !== undefined) ctx.log.error(`Saltcheck: ${fault}`);
  else if (isDict(test)) {
    if (truthy(test.get('skip'))) return dict({ status: 'Skip', duration: float(0) });
    result = await resultOf(ctx, test, {
      details: truthy(first(test, ['output_details'], details)),
      result: truthy(first(test, ['print_result'], true)),
    });
  }
  const seconds = (ctx.clock.monotonicMs() - beganMs) / 1000;
  return result.set('duration', float(roundTo(seconds, 4)));
}

/** Why something is no test. */
async function faultOf(ctx: ModuleContext, test: Value): Promise<string | undefined> {
  if (!isDict(test)) return `a test is a mapping, not ${pyStr(test)}`;
  const fun = test.get('module_and_function') ?? null;
  if (fun === STATE_APPLY) return undefined;
  const groups = test.get('assertions');
  const given = truthy(groups) ? (Array.isArray(groups) ? groups : [groups ?? null]) : [test];
  for (const group of given) {
    const fault = assertionFault(group);
    if (fault !== undefined) return fault;
  }
  if (!truthy(fun)) return 'missing module_and_function';
  const missing = (await ctx.functions.find(pyStr(fun))).missing;
  return missing === undefined ? undefined : `${pyStr(fun)} is not a valid function: ${missing}`;
}

function assertionFault(group: Value): string | undefined {
  if (!isDict(group)) return `an assertion is a mapping, not ${pyStr(group)}`;
  const name = group.get('assertion') ?? null;
  const assertion = typeof name === 'string' ? ASSERTIONS.get(name) : undefined;
  if (assertion === undefined) return `${pyStr(name)} is not in the assertions list`;
  return assertion.compares && expectedOf(group) === null ? 'expected_return missing a value' : undefined;
}

async function resultOf(ctx: ModuleContext, test: Dict, shown: Shown): Promise<Dict> {
  const fun = pyStr(test.get('module_and_function') ?? null);
  const args = test.get('args') ?? null;
  let output: Value;
  try {
    output = await ctx.functions.call(fun, argumentsOf(args), keywordsOf(test));
  } catch (error) {
    // Salt compat: there the exception ends all tests, and nothing is told of those that ran before
    if (ctx.signal.aborted) throw error;
    ctx.log.error(`Saltcheck: ${fun}: ${messageOf(error)}`, error);
    return dict({ status: `Fail: ${fun} raised an error: ${messageOf(error)}` });
  }
  const called = { fun, args, output };
  const groups = test.get('assertions');
  if (!Array.isArray(groups) || groups.length === 0) return asserted(called, test, shown);
  const result = dict();
  for (const [at, group] of groups.entries())
    result.set(`assertion${at + 1}`, asserted(called, isDict(group) ? group : dict(), shown));
  const passes = [...result.values()].every((one) => isDict(one) && one.get('status') === 'Pass');
  return result.set('status', passes ? 'Pass' : 'Fail');
}

function argumentsOf(args: Value): readonly Value[] {
  if (!truthy(args)) return [];
  return Array.isArray(args) ? args : [args];
}

/** The keywords of the call; `pillar` is only what `pillar_data` says. */
function keywordsOf(test: Dict): Dict {
  const given = test.get('kwargs');
  const kwargs: Dict = new Map(isDict(given) ? given : []);
  const pillar = first(test, ['pillar_data', 'pillar-data']);
  if (truthy(pillar)) kwargs.set('pillar', pillar);
  else kwargs.delete('pillar');
  return kwargs;
}

/** What one assertion says of the output. */
function asserted({ fun, args, output }: Called, group: Dict, shown: Shown): Dict {
  const section = group.get('assertion_section') ?? null;
  const delimiter = pyStr(first(group, ['assertion_section_delimiter'], DEFAULT_DELIMITER));
  const returned = truthy(section)
    ? traverse(output, pyStr(section), { fallback: false, delimiter })
    : output;
  const name = fun === STATE_APPLY ? 'assertNotEmpty' : pyStr(group.get('assertion') ?? null);
  const assertion = ASSERTIONS.get(name);
  if (assertion === undefined) return dict({ status: 'Fail - bad assertion' });
  const given = expectedOf(group);
  const expected = assertion.casts ? castTo(given, returned) : given;
  const value = dict({ status: checked(assertion, { expected, returned }, shown.result) });
  if (!shown.details) return value;
  const [title, place] = truthy(section) ? [' assertion_section', ` ${pyStr(section)}`] : ['', ''];
  value.set(`module.function [args]${title}`, `${fun} ${toJson(args)}${place}`);
  const wanted = expected === null ? '' : `${pyStr(expected)} `;
  const found = shown.result ? pyStr(returned) : 'hidden';
  return value.set('saltcheck assertion', `${wanted}${assertion.sign} ${found}`);
}
