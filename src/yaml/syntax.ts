/** Words for syntax errors: what js-yaml says, in the words users know from libyaml. */
import type { YamlErrorKind } from './error.ts';

interface SyntaxReason {
  readonly kind: YamlErrorKind;
  readonly reason: string;
  readonly context?: string;
}

const NO_TOKEN = 'found character that cannot start any token';

const REASONS: ReadonlyMap<string, SyntaxReason> = new Map<string, SyntaxReason>([
  ['bad indentation of a mapping entry', scanner('mapping values are not allowed in this context')],
  [
    'bad indentation of a sequence entry',
    parser("did not find expected '-' indicator", 'while parsing a block collection'),
  ],
  ["expected ':' after a mapping key", scanner("could not find expected ':'", 'while scanning a simple key')],
  [
    'can not read a block mapping entry; a multiline key may not be an implicit key',
    scanner("could not find expected ':'", 'while scanning a simple key'),
  ],
  [
    'missed comma between flow collection entries',
    parser("did not find expected ',' or '}'", 'while parsing a flow mapping'),
  ],
  [
    'unexpected end of the stream within a flow collection',
    parser("did not find expected ',' or ']'", 'while parsing a flow sequence'),
  ],
  ['tab characters must not be used in indentation', scanner(NO_TOKEN, 'while scanning for the next token')],
  ['end of the stream or a document separator is expected', parser('did not find expected <document start>')],
  ['directives end mark is expected', parser('did not find expected <document start>')],
  [
    'unexpected end of the stream within a double quoted scalar',
    scanner('found unexpected end of stream', 'while scanning a quoted scalar'),
  ],
  [
    'unexpected end of the stream within a single quoted scalar',
    scanner('found unexpected end of stream', 'while scanning a quoted scalar'),
  ],
  ['unknown escape sequence', scanner('found unknown escape character', 'while parsing a quoted scalar')],
  [
    'a line break is expected',
    scanner('did not find expected comment or line break', 'while scanning a block scalar'),
  ],
]);

function scanner(reason: string, context?: string): SyntaxReason {
  return { kind: 'scanner', reason, ...(context !== undefined && { context }) };
}

function parser(reason: string, context?: string): SyntaxReason {
  return { kind: 'parser', reason, ...(context !== undefined && { context }) };
}

/** What libyaml says where js-yaml says `reason`; unknown reasons stay as they are. */
export function syntaxReason(reason: string): SyntaxReason {
  return REASONS.get(reason) ?? parser(reason);
}
