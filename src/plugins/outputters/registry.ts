/** Finds outputters by name, loads them when they are first needed, and renders with Salt's fall-backs. */
import { rstrip } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { UnorderableError } from '../../python/values/order.ts';
import { nested } from './nested.ts';
import { raw } from './raw.ts';
import { UnsuitedDataError, type Outputter, type OutputOptions } from './outputter.ts';

type Loader = () => Promise<Outputter>;

const LOADERS: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ['nested', () => Promise.resolve(nested)],
  ['raw', () => Promise.resolve(raw)],
  ['highstate', async () => (await import('./highstate.ts')).outputter],
  ['json', async () => (await import('./json.ts')).outputter],
  ['yaml', async () => (await import('./yaml.ts')).outputter],
  ['txt', async () => (await import('./txt.ts')).outputter],
  ['pprint', async () => (await import('./pprint.ts')).outputter],
  ['key', async () => (await import('./key.ts')).outputter],
  ['quiet', async () => (await import('./quiet.ts')).outputter],
  ['no_return', async () => (await import('./no-return.ts')).outputter],
  ['newline_values_only', async () => (await import('./newline-values-only.ts')).outputter],
  ['table', async () => (await import('./table.ts')).outputter],
  ['profile', async () => (await import('./profile.ts')).outputter],
  ['progress', async () => (await import('./progress.ts')).outputter],
  ['overstatestage', async () => (await import('./overstatestage.ts')).outputter],
  ['dson', async () => (await import('./dson.ts')).outputter],
  ['virt_query', async () => (await import('./virt-query.ts')).outputter],
]);

// Salt has it only where a program is installed, which it treats as not having it.
const NEVER_INSTALLED = ['pony'];

/** The names `--out` takes, for completion and help. */
export const OUTPUTTER_NAMES: readonly string[] = [...LOADERS.keys(), 'text', ...NEVER_INSTALLED].sort();

/** Told about an unknown name, in the words Salt logs at level error. */
export type ReportUnknown = (message: string) => void;

/** What decides on the outputter, besides the hint that came with the return. */
export interface OutputterChoice {
  /** `--out` or the option `output`. */
  readonly output?: string | undefined;
  /** `--static`. */
  readonly isStatic?: boolean | undefined;
  /** The published function. */
  readonly fun?: string | undefined;
  /** `--progress`. */
  readonly progress?: boolean | undefined;
}

/**
 * The outputter's name for a return: `--out` before the hint (only `highstate` does not override one), `nested` in
 * the end (3006.16 salt/output/__init__.py get_printout).
 * @param hint the `out` that came with the return
 */
export function chooseOutputter(hint: string | undefined, choice: OutputterChoice = {}): string {
  if (choice.progress) return 'progress';
  if (choice.output && choice.output !== 'highstate') return choice.output;
  if (hint) return hint;
  if (choice.isStatic && choice.output) return choice.output;
  return choice.isStatic && choice.fun?.split('.')[0] === 'state' ? 'highstate' : 'nested';
}

/** Outputters that show nothing, no minion's name, or what a master says. */
const NOT_FOR_MINIONS: ReadonlySet<string> = new Set([
  ...['quiet', 'progress', 'no_return', 'key'],
  ...['newline_values_only', 'profile', 'overstatestage', 'virt_query'],
]);

/**
 * The outputter that a minion asks for with its return, when it may: `highstate`, `txt` and the like, and custom ones.
 * Salt compat: one that would hide the return or whose it is is not used; Salt prints with whatever a minion names.
 * @param out the field of that name
 */
export function minionsOutputter(out: Value | undefined): string | undefined {
  return typeof out === 'string' && !NOT_FOR_MINIONS.has(out) ? out : undefined;
}

/** Loads the outputter of this name, or undefined for an unknown one. `text` is `txt`. */
export async function loadOutputter(name: string): Promise<Outputter | undefined> {
  return LOADERS.get(name === 'text' ? 'txt' : name)?.();
}

/**
 * The outputter to use for a name: nested when none or an unknown one is given.
 * @param report is told `Invalid outputter X specified, fall back to nested`
 */
async function getPrintout(name: string | undefined, report?: ReportUnknown): Promise<Outputter> {
  if (!name) return nested;
  const outputter = await loadOutputter(name);
  if (outputter) return outputter;
  // old minions still ask for `grains`, which is gone
  if (name !== 'grains') report?.(`Invalid outputter ${name} specified, fall back to nested`);
  return nested;
}

/**
 * Renders data; what an outputter is not made for is shown by nested, and what nested cannot show by raw
 * (3006.16 salt/output/__init__.py try_printout).
 * Salt compat: after highstate has failed half way, Salt's nested shows some durations with the ` ms` that highstate
 * wrote into the data; here data is never changed. Errors of Python that Salt does not catch (a state's name without
 * its four parts, a duration that is no number) end Salt's command; here they fall back too.
 * @returns the text without white space at its end; empty means that nothing is to be printed
 */
function renderSafely(outputter: Outputter, data: Value, options: OutputOptions): string {
  for (const candidate of [outputter, nested]) {
    try {
      return rstrip(candidate.render(data, options));
    } catch (error) {
      if (!(error instanceof UnsuitedDataError) && !(error instanceof UnorderableError)) throw error;
    }
  }
  return rstrip(raw.render(data, options));
}

/**
 * Renders data with the outputter of this name.
 * @param data for `salt`, a mapping of minion id to return
 * @param outputterName from {@link chooseOutputter}; undefined is nested
 * @returns the text to print, to which the caller adds one newline; empty means: print nothing at all
 */
export async function displayOutput(
  data: Value,
  outputterName: string | undefined,
  options: OutputOptions,
  report?: ReportUnknown,
): Promise<string> {
  return renderSafely(await getPrintout(outputterName, report), data, options);
}
