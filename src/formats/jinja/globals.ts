/** The globals of every template (jinja2/defaults.py 3.1; 3006.16 salt/utils/templates.py). */
import { PythonError } from '../../python/exceptions.ts';
import { native } from './bind.ts';
import { typeError } from './errors.ts';
import { environmentOf } from './filters-sequence.ts';
import { updateDictFrom } from './methods-collections.ts';
import {
  PyRange,
  TFunction,
  typeName,
  type Kwargs,
  type NativeBody,
  type TDict,
  type TValue,
} from './model.ts';
import { numberOf, isIntValue } from './operators.ts';
import { Cycler, Joiner, Namespace } from './namespace.ts';
import { str } from './text-of.ts';

/** The sandbox makes no range longer than this. */
const RANGE_MAX = 100_000;

function range(args: readonly TValue[]): PyRange {
  if (args.length === 0) throw typeError('range expected at least 1 argument, got 0');
  if (args.length > 3) throw typeError(`range expected at most 3 arguments, got ${args.length}`);
  const numbers = args.map((arg) => {
    if (!isIntValue(arg)) throw typeError(`'${typeName(arg)}' object cannot be interpreted as an integer`);
    return Number(numberOf(arg));
  });
  const [start, stop] =
    numbers.length === 1 ? [0, numbers[0] as number] : [numbers[0] as number, numbers[1] as number];
  const step = numbers[2] ?? 1;
  if (step === 0) throw new PythonError('ValueError', 'range() arg 3 must not be zero');
  const out = new PyRange(start, stop, step);
  if (out.length > RANGE_MAX)
    throw new PythonError(
      'OverflowError',
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${RANGE_MAX}).`,
    );
  return out;
}

function makeDict(args: readonly TValue[], kwargs: Kwargs | undefined): TDict {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`);
  const out: TDict = new Map();
  updateDictFrom(out, args[0] ?? new Map(), kwargs ?? new Map());
  return out;
}

const WORDS =
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua'.split(
    ' ',
  );

const lipsum = native(
  'lipsum',
  [
    ['n', 5],
    ['html', true],
    ['min', 20],
    ['max', 100],
  ],
  ([n, html, min, max], scope) => {
    const random = environmentOf(scope).deps.random ?? (() => 0);
    const count = Number(numberOf(n) ?? 0);
    const [least, most] = [Number(numberOf(min) ?? 0), Number(numberOf(max) ?? 0)];
    if (count * most > 1_000_000) throw new PythonError('OverflowError', 'lipsum of this size is refused');
    const paragraphs = Array.from({ length: count }, () => {
      const words = Array.from(
        { length: least + Math.floor(random() * Math.max(0, most - least)) },
        () => WORDS[Math.floor(random() * WORDS.length)] ?? 'lorem',
      );
      const text = `${words.join(' ')}.`;
      return text.charAt(0).toUpperCase() + text.slice(1);
    });
    return html === true ? paragraphs.map((text) => `<p>${text}</p>`).join('\n') : paragraphs.join('\n\n');
  },
);

const raise = native('jinja_raise', ['msg'], ([message]) => {
  throw new PythonError('TemplateError', str(message));
});

const BODIES: readonly (readonly [string, NativeBody])[] = [
  ['range', range],
  ['dict', makeDict],
  ['odict', makeDict],
  ['lipsum', lipsum],
  ['cycler', (args) => new Cycler(args)],
  ['joiner', native('joiner', [['sep', ', ']], ([separator]) => new Joiner(separator))],
  ['namespace', (args, kwargs) => new Namespace(args, kwargs ?? new Map())],
  ['raise', raise],
];

/** The globals by name; `show_full_context` and `ifelse` belong to whoever renders. */
export function standardGlobals(): Map<string, TValue> {
  return new Map(BODIES.map(([name, body]) => [name, new TFunction(name, body)]));
}
