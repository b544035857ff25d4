/** The colours of the terminal: Salt's names and escape sequences (3006.16 salt/utils/color.py). */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';

const CODES = {
  BLACK: '0;30',
  DARK_GRAY: '0;1;30',
  RED: '0;31',
  LIGHT_RED: '0;1;31',
  GREEN: '0;32',
  LIGHT_GREEN: '0;1;32',
  YELLOW: '0;33',
  LIGHT_YELLOW: '0;1;33',
  BLUE: '0;34',
  LIGHT_BLUE: '0;1;34',
  MAGENTA: '0;35',
  LIGHT_MAGENTA: '0;1;35',
  CYAN: '0;36',
  LIGHT_CYAN: '0;1;36',
  LIGHT_GRAY: '0;37',
  WHITE: '0;1;37',
  DEFAULT_COLOR: '0;39',
  ENDC: '0;0',
} as const;

/** A colour's name; `ENDC` ends colouring. */
export type ColorName = keyof typeof CODES;

/** Escape sequences by colour; all empty when colour is off. */
export type Colors = Readonly<Record<ColorName, string>>;

/** The escape sequences to use. @param theme replacements from {@link parseColorTheme} */
export function getColors(use: boolean, theme?: ReadonlyMap<string, string>): Colors {
  if (!use) return NO_COLORS;
  return theme === undefined
    ? TERMINAL_COLORS
    : colorsBy((name) => theme.get(name) ?? terminalSequence(name));
}

function colorsBy(sequence: (name: ColorName) => string): Colors {
  const names = Object.keys(CODES) as ColorName[];
  return Object.fromEntries(names.map((name) => [name, sequence(name)])) as Record<ColorName, string>;
}

function terminalSequence(name: ColorName): string {
  return `\x1b[${CODES[name]}m`;
}

const NO_COLORS = colorsBy(() => '');
const TERMINAL_COLORS = colorsBy(terminalSequence);

/** The replacements in a `color_theme` file, once read: colour names with the numbers of their escape sequences. */
export function parseColorTheme(document: Value): Map<string, string> {
  if (!isDict(document)) return new Map();
  return new Map([...document].map(([name, code]) => [pyStr(name), `\x1b[${pyStr(code)}m`]));
}

/** Replaces ESC, so that data cannot steer the terminal. */
export function stripEscapes(text: string, strip: boolean | undefined): string {
  return (strip ?? true) ? text.replaceAll('\x1b', '?') : text;
}
