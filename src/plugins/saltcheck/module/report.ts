/** What saltcheck says at the end, as a list and as JUnit's XML (3007 salt/modules/saltcheck.py). */
import { formatFixed, roundTo } from '../../../python/values/number-format.ts';
import { sortedEntries } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, float, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';

/** The results of the tests of one SLS, by the name of the test. */
export interface StateResults {
  readonly state: string;
  readonly results: Dict;
}

const statusOf = (result: Value): string => pyStr(isDict(result) ? (result.get('status') ?? null) : null);
const secondsOf = (result: Value): number =>
  (isDict(result) ? toNumber(result.get('duration')) : undefined) ?? 0;
const is = (word: string) => (result: Value) => statusOf(result).startsWith(word);

/** Whether a test has failed. */
export const hasFailed = (states: readonly StateResults[]): boolean =>
  states.some(({ results }) => [...results.values()].some(is('Fail')));

/**
 * The results of each SLS in the order of their names, and the figures.
 * @param onlyFails leaves out what has not failed
 */
export function outList(states: readonly StateResults[], onlyFails: boolean): Value[] {
  const all = states.flatMap(({ results }) => [...results.values()]);
  const count = (word: string): number => all.filter(is(word)).length;
  const rows = states.map(({ state, results }) => {
    const shown = onlyFails ? new Map([...results].filter(([, one]) => is('Fail')(one))) : results;
    return { state: onlyFails && shown.size === 0 ? '' : state, shown };
  });
  rows.sort((a, b) => (a.state < b.state ? -1 : Number(a.state > b.state)));
  const figures = dict({
    'Execution Time': float(
      roundTo(
        all.map(secondsOf).reduce((sum, one) => sum + one, 0),
        4,
      ),
    ),
    Passed: count('Pass'),
    Failed: count('Fail'),
    Skipped: count('Skip'),
    'Missing Tests': states.filter(({ results }) => results.size === 0).length,
  });
  return [
    ...rows.map(({ state, shown }) => (state === '' ? dict() : dict({ [state]: shown }))),
    dict({ 'TEST RESULTS': figures }),
  ];
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['\t', '&#9;'],
]);

/** A text in XML; what XML cannot have is left out. */
function escaped(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '')
    .replace(/[&<>"\n\r\t]/g, (one) => ENTITIES.get(one) ?? one);
}

function testCase(name: string, result: Value): string {
  const status = escaped(statusOf(result));
  const seconds = secondsOf(result);
  const time = seconds === 0 ? '' : ` time="${formatFixed(seconds, 6)}"`;
  const head = `\t\t<testcase name="${escaped(name)}"${time}`;
  const child = is('Fail')(result) ? 'failure' : is('Skip')(result) ? 'skipped' : '';
  if (child === '') return `${head}/>\n`;
  return `${head}>\n\t\t\t<${child} type="${child}" message="${status}"/>\n\t\t</testcase>\n`;
}

const MISSING =
  '\t\t<testcase name="missing_test">\n\t\t\t<system-out>Test(s) Missing</system-out>\n\t\t</testcase>\n';

/** The same for build servers; an SLS without tests is a case of the name `missing_test`. */
export function junitXml(states: readonly StateResults[]): string {
  const all = states.flatMap(({ results }) => [...results.values()]);
  const cases = states.map(({ results }) =>
    results.size === 0
      ? MISSING
      : sortedEntries(results)
          .map(([name, one]) => testCase(pyStr(name), one))
          .join(''),
  );
  const missing = states.filter(({ results }) => results.size === 0).length;
  const failures = all.filter(is('Fail')).length;
  const time = pyStr(
    float(
      roundTo(
        all.map(secondsOf).reduce((sum, one) => sum + one, 0),
        4,
      ),
    ),
  );
  const figures = `disabled="0" errors="0" failures="${failures}"`;
  const tests = `tests="${all.length + missing}" time="${time}"`;
  const skipped = all.filter(is('Skip')).length;
  const suite = `\t<testsuite ${figures} name="test_results" skipped="${skipped}" ${tests}>\n`;
  const document = `<?xml version="1.0" ?>\n<testsuites ${figures} ${tests}>\n${suite}`;
  return `${document}${cases.join('')}\t</testsuite>\n</testsuites>\n`;
}
