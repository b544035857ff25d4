/**
 * Which ways of writing a scalar are possible: libyaml 0.2.5's analysis, which is what PyYAML's C emitter, and so Salt,
 * goes by. It works on bytes; only the distinctions that survive are kept here.
 */

/** What may be done with a scalar's text. */
export interface ScalarAnalysis {
  readonly multiline: boolean;
  readonly flowPlain: boolean;
  readonly blockPlain: boolean;
  readonly singleQuoted: boolean;
  readonly block: boolean;
}

const WORD = /^[A-Za-z0-9_./@%^~$()+*"'-]*$/;
const SAFE_START = /^[A-Za-z0-9_./(]/;
const EMPTY: ScalarAnalysis = {
  multiline: false,
  flowPlain: false,
  blockPlain: true,
  singleQuoted: true,
  block: false,
};
const ANYTHING: ScalarAnalysis = {
  multiline: false,
  flowPlain: true,
  blockPlain: true,
  singleQuoted: true,
  block: true,
};

/** True for the characters libyaml takes as line ends. */
export function isBreak(char: string): boolean {
  return char === '\n' || char === '\r' || char === '\x85' || char === '\u2028' || char === '\u2029';
}

function isBlankOrEnd(char: string): boolean {
  return char === '' || char === '\0' || char === ' ' || char === '\t' || isBreak(char);
}

/** True for what libyaml writes as it is. It does not know of code points above U+FFFF. */
export function isPrintable(code: number): boolean {
  if (code < 0xa0) return code === 0x0a || (code >= 0x20 && code <= 0x7e);
  return code < 0xd800 || (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff);
}

/** Finds out how a text may be written. @param allowUnicode whether characters outside ASCII may stay as they are */
export function analyzeScalar(text: string, allowUnicode: boolean): ScalarAnalysis {
  if (text === '') return EMPTY;
  if (WORD.test(text) && SAFE_START.test(text) && !text.startsWith('...')) return ANYTHING;
  const indicators = findIndicators(text);
  const layout = findLayout(text);
  const special = hasSpecial(text, allowUnicode);
  const edges = layout.leading || layout.trailingSpace || layout.trailingBreak;
  const plain = !edges && !layout.breakSpace && !layout.spaceBreak && !special && !layout.multiline;
  return {
    multiline: layout.multiline,
    flowPlain: plain && !indicators.flow,
    blockPlain: plain && !indicators.block,
    singleQuoted: !layout.breakSpace && !layout.spaceBreak && !special,
    block: !layout.trailingSpace && !layout.spaceBreak && !special,
  };
}

function hasSpecial(text: string, allowUnicode: boolean): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isPrintable(code) || (code > 0x7f && !allowUnicode)) return true;
  }
  return false;
}

function findLayout(text: string) {
  let multiline = false;
  let breakSpace = false;
  let spaceBreak = false;
  let previous = '';
  for (const char of text) {
    if (char === ' ' && previous !== '' && isBreak(previous)) breakSpace = true;
    if (isBreak(char)) {
      multiline = true;
      if (previous === ' ') spaceBreak = true;
    }
    previous = char;
  }
  const first = text.charAt(0);
  return {
    multiline,
    breakSpace,
    spaceBreak,
    leading: first === ' ' || isBreak(first),
    trailingSpace: previous === ' ',
    trailingBreak: isBreak(previous),
  };
}

const ALWAYS_AT_START = '#,[]{}&*!|>\'"%@`';

/** Whether characters with a meaning of their own forbid the plain style in flow or block context. */
function findIndicators(text: string): { flow: boolean; block: boolean } {
  const first = text.charAt(0);
  const blankSecond = isBlankOrEnd(text.charAt(1));
  let flow = ALWAYS_AT_START.includes(first) || text.startsWith('---') || text.startsWith('...');
  let block = flow;
  if (first === '?' || first === ':') {
    flow = true;
    block ||= blankSecond;
  }
  if (first === '-' && blankSecond) flow = block = true;
  for (let i = 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (',?[]{}'.includes(char)) flow = true;
    else if (char === ':') {
      flow = true;
      block ||= isBlankOrEnd(text.charAt(i + 1));
    } else if (char === '#' && isBlankOrEnd(text.charAt(i - 1))) flow = block = true;
  }
  return { flow, block };
}
