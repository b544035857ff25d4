/** The assertions of saltcheck, in the words of 3006.16 salt/modules/saltcheck.py. */
import { messageOf } from '../../../errors/errors.ts';
import { toPyInt } from '../../../python/conversions.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { toPyFloat } from '../../../python/values/number-format.ts';
import { lessThan } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import {
  float,
  isDict,
  isFloat,
  isInt,
  pyTypeName,
  truthy,
  valuesEqual,
  type Value,
} from '../../../python/values/value.ts';

interface Compared {
  readonly expected: Value;
  readonly returned: Value;
}

interface Assertion {
  /** How `output_details` writes it. */
  readonly sign: string;
  /** It compares with `expected_return`. */
  readonly compares: boolean;
  /** What is compared is made the type of what came back first. */
  readonly casts: boolean;
  holds(compared: Compared): boolean;
  /** Why it does not hold. */
  why(compared: Compared): string;
  /** The same where the result must not be shown; default: it is shown all the same. */
  readonly hidden?: string;
}

const notFalse = ({ returned }: Compared): string => `${pyStr(returned)} not False`;

/** @param why with the two values between words */
function comparison(sign: string, holds: Assertion['holds'], why: Assertion['why'], hidden?: string) {
  return { sign, compares: true, casts: true, holds, why, ...(hidden === undefined ? {} : { hidden }) };
}

function single(sign: string, holds: Assertion['holds'], why: Assertion['why']): Assertion {
  return { sign, compares: false, casts: false, holds, why };
}

/** Python's `expected in returned`. @throws PythonError where that is a TypeError */
function contains({ expected, returned }: Compared): boolean {
  if (Array.isArray(returned)) return returned.some((one) => valuesEqual(one, expected));
  if (isDict(returned)) return [...returned.keys()].some((one) => valuesEqual(one, expected));
  const type = pyTypeName(returned);
  if (typeof returned !== 'string')
    throw new PythonError('TypeError', `argument of type '${type}' is not iterable`);
  if (typeof expected === 'string') return returned.includes(expected);
  throw new PythonError(
    'TypeError',
    `'in <string>' requires string as left operand, not ${pyTypeName(expected)}`,
  );
}

/** All assertions by name. */
export const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  [
    'assertEqual',
    comparison(
      '==',
      ({ expected, returned }) => valuesEqual(expected, returned),
      ({ expected, returned }) => `${pyStr(expected)} is not equal to ${pyStr(returned)}`,
      'Result is not equal',
    ),
  ],
  [
    'assertNotEqual',
    comparison(
      '!=',
      ({ expected, returned }) => !valuesEqual(expected, returned),
      ({ expected, returned }) => `${pyStr(expected)} is equal to ${pyStr(returned)}`,
      'Result is equal',
    ),
  ],
  [
    'assertTrue',
    single(
      'True is',
      ({ returned }) => returned === true,
      ({ returned }) => `${pyStr(returned)} not True`,
    ),
  ],
  [
    'assertFalse',
    single(
      'False is',
      ({ returned }) => asFlag(returned) === false,
      ({ returned }) => `${pyStr(asFlag(returned))} not False`,
    ),
  ],
  [
    'assertIn',
    {
      ...comparison(
        'IN',
        contains,
        ({ expected, returned }) => `${pyStr(expected)} not found in ${pyStr(returned)}`,
        'Result not found',
      ),
      casts: false,
    },
  ],
  [
    'assertNotIn',
    {
      ...comparison(
        'NOT IN',
        (compared) => !contains(compared),
        ({ expected, returned }) => `${pyStr(expected)} was found in ${pyStr(returned)}`,
        'Result was found',
      ),
      casts: false,
    },
  ],
  ['assertGreater', comparison('>', ({ expected, returned }) => lessThan(returned, expected), notFalse)],
  [
    'assertGreaterEqual',
    comparison('>=', ({ expected, returned }) => isAtMost(returned, expected), notFalse),
  ],
  ['assertLess', comparison('<', ({ expected, returned }) => lessThan(expected, returned), notFalse)],
  ['assertLessEqual', comparison('<=', ({ expected, returned }) => isAtMost(expected, returned), notFalse)],
  [
    'assertEmpty',
    single(
      'IS EMPTY',
      ({ returned }) => !truthy(returned),
      ({ returned }) => `${pyStr(returned)} is not empty`,
    ),
  ],
  [
    'assertNotEmpty',
    single(
      'IS NOT EMPTY',
      ({ returned }) => truthy(returned),
      () => 'value is empty',
    ),
  ],
]);

/** A text counts as its truth. */
function asFlag(returned: Value): Value {
  return typeof returned === 'string' ? truthy(returned) : returned;
}

function isAtMost(one: Value, other: Value): boolean {
  return valuesEqual(one, other) || lessThan(one, other);
}

/**
 * `Pass`, or `Fail: …`; values that cannot be compared do not pass.
 * @param shows whether the result may be in the sentence
 */
export function checked(assertion: Assertion, compared: Compared, shows: boolean): string {
  try {
    if (assertion.holds(compared)) return 'Pass';
    return `Fail: ${shows ? assertion.why(compared) : (assertion.hidden ?? assertion.why(compared))}`;
  } catch (error) {
    const types = `${pyTypeName(compared.expected)} and ${pyTypeName(compared.returned)}`;
    return `Fail: ${error instanceof PythonError ? messageOf(error) : `${types} cannot be compared`}`;
  }
}

/**
 * What is expected, as the type of what came back: `5` is 5 where an integer is returned. What cannot be made one stays
 * as it is.
 */
export function castTo(expected: Value, returned: Value): Value {
  if (returned === null) return expected;
  if (typeof returned === 'boolean') return expected === 'False' ? false : truthy(expected);
  if (typeof returned === 'string') return pyStr(expected);
  if (isInt(returned)) return toPyInt(expected) ?? expected;
  if (isFloat(returned)) {
    const number = toPyFloat(expected);
    return typeof number === 'number' ? float(number) : expected;
  }
  if (Array.isArray(returned)) return listOf(expected);
  return isDict(returned) && isDict(expected) ? new Map(expected) : expected;
}

function listOf(expected: Value): Value {
  if (typeof expected === 'string') return [...expected];
  return isDict(expected) ? [...expected.keys()] : expected;
}
