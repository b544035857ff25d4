/** Paths to elements: the part of XPath that Python's `xml.etree.ElementPath` (3.10) knows. */
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { elementsIn, type TreeElement } from './tree.ts';

const TOKEN = /('[^']*'|"[^"]*"|::|\/\/?|\.\.|\(\)|!=|[/.*:[\]()@=])|((?:\{[^}]+\})?[^/[\]()@!=\s]+)|\s+/g;

/** An operator, or a name; neither for blanks. */
interface Token {
  readonly operator: string;
  readonly name: string;
}

/** What a step makes of the elements that were found so far. */
type Step = (found: Iterable<TreeElement>, parents: Parents) => Iterable<TreeElement>;
type Parents = () => ReadonlyMap<TreeElement, TreeElement>;

const bad = (message: string): PythonError => new PythonError('SyntaxError', message);

/**
 * The first element below another one that a path leads to.
 * @throws PythonError (`SyntaxError`) for a path that is none
 */
export function findElement(root: TreeElement, path: string): TreeElement | undefined {
  for (const element of findElements(root, path.startsWith('/') ? `.${path}` : path)) return element;
  return undefined;
}

function* findElements(root: TreeElement, path: string): Generator<TreeElement, void> {
  let parents: Map<TreeElement, TreeElement> | undefined;
  const parentsOf = (): ReadonlyMap<TreeElement, TreeElement> => {
    parents ??= new Map(
      [...elementsIn(root)].flatMap((parent) => parent.children.map((child) => [child, parent] as const)),
    );
    return parents;
  };
  const steps = stepsOf(path.endsWith('/') ? `${path}*` : path);
  yield* steps.reduce<Iterable<TreeElement>>((found, step) => step(found, parentsOf), [root]);
}

function tokensOf(path: string): Token[] {
  return [...path.matchAll(TOKEN)].map(([, operator = '', name = '']) => {
    if (name.includes(':') && !name.startsWith('{'))
      throw bad(`prefix ${pyRepr(name.slice(0, name.indexOf(':')))} not found in prefix map`);
    return { operator, name };
  });
}

/** A path that is one name, as which it is taken whatever is in it. */
const PLAIN = /^(?:\{(?!\*\})[^}]*\})?[^/*[@.{]+$/;

function stepsOf(path: string): Step[] {
  if (PLAIN.test(path)) return [children((tag) => tag === path)];
  const tokens = tokensOf(path);
  const steps: Step[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    steps.push(stepOf(token, tokens));
    if (tokens[0]?.operator !== '/') continue;
    tokens.shift();
    if (tokens.length === 0) break;
  }
  return steps;
}

function stepOf({ operator, name }: Token, tokens: Token[]): Step {
  switch (operator) {
    case '':
      return children(tagTest(name));
    case '*':
      return children(() => true);
    case '.':
      return (found) => found;
    case '..':
      return parent;
    case '//':
      return descendants(tokens);
    case '[':
      return predicate(tokens);
    default:
      throw bad('invalid path');
  }
}

/** Whether a tag is the one of a path, in which namespace and name may be stars. */
function tagTest(wanted: string): (tag: string) => boolean {
  const bare = (tag: string): string => tag.slice(tag.indexOf('}') + 1);
  if (wanted === '{*}*') return () => true;
  if (wanted === '{}*') return (tag) => !tag.startsWith('{');
  if (wanted.startsWith('{*}')) return (tag) => bare(tag) === wanted.slice(3);
  if (wanted.startsWith('{}')) return (tag) => tag === wanted.slice(2);
  if (wanted.endsWith('}*')) return (tag) => tag.startsWith(wanted.slice(0, -1));
  return (tag) => tag === wanted;
}

function children(isMeant: (tag: string) => boolean): Step {
  return function* (found) {
    for (const element of found) for (const child of element.children) if (isMeant(child.tag)) yield child;
  };
}

function descendants(tokens: Token[]): Step {
  const next = tokens.shift();
  if (next === undefined || (next.operator !== '*' && next.name === '')) throw bad('invalid descendant');
  const isMeant = next.operator === '*' ? (): boolean => true : tagTest(next.name);
  return function* (found) {
    for (const element of found)
      for (const each of elementsIn(element)) if (each !== element && isMeant(each.tag)) yield each;
  };
}

const parent: Step = function* (found, parents) {
  const seen = new Set<TreeElement>();
  for (const element of found) {
    const above = parents().get(element);
    if (above === undefined || seen.has(above)) continue;
    seen.add(above);
    yield above;
  }
};

const textIn = (element: TreeElement): string =>
  `${element.text ?? ''}${element.children.map((child) => `${textIn(child)}${child.tail ?? ''}`).join('')}`;

/** Keeps those elements of which something is true. */
function keeping(isMeant: (element: TreeElement) => boolean): Step {
  return function* (found) {
    for (const element of found) if (isMeant(element)) yield element;
  };
}

/** What stands in brackets. */
function predicate(tokens: Token[]): Step {
  let signature = '';
  const words: string[] = [];
  for (;;) {
    const token = tokens.shift();
    if (token === undefined) throw bad('invalid path');
    if (token.operator === ']') break;
    if (token.operator === '' && token.name === '') continue;
    const isQuoted = /^['"]/.test(token.operator);
    signature += isQuoted ? "'" : token.operator || '-';
    words.push(isQuoted ? token.operator.slice(1, -1) : token.name);
  }
  const [first = '', second = ''] = words;
  const last = words.at(-1) ?? '';
  const isNumber = /^-?\d+$/.test(first);
  if (signature === '@-') return keeping(({ attributes }) => attributes.has(second));
  if (signature === "@-='") return keeping(({ attributes }) => attributes.get(second) === last);
  if (signature === "@-!='")
    return keeping(({ attributes }) => attributes.has(second) && attributes.get(second) !== last);
  if (signature === '-' && !isNumber) return keeping((element) => findElement(element, first) !== undefined);
  if (/^\.!?='$/.test(signature) || (/^-!?='$/.test(signature) && !isNumber)) {
    const isWanted = (element: TreeElement): boolean =>
      (textIn(element) === last) !== signature.includes('!');
    if (first === '') return keeping(isWanted);
    return keeping((element) => [...findElements(element, first)].some(isWanted));
  }
  return position(signature, words);
}

/** An element by its place among those of its name. */
function position(signature: string, words: readonly string[]): Step {
  const index = indexOf(signature, words);
  return function* (found, parents) {
    for (const element of found) {
      const above = parents().get(element);
      const alike = above?.children.filter(({ tag }) => tag === element.tag) ?? [];
      if (alike.at(index) === element) yield element;
    }
  };
}

function indexOf(signature: string, [first = '', , offset = '']: readonly string[]): number {
  if (signature === '-') {
    if (Number(first) < 1) throw bad('XPath position >= 1 expected');
    return Number(first) - 1;
  }
  if (signature !== '-()' && signature !== '-()-') throw bad('invalid predicate');
  if (first !== 'last') throw bad('unsupported function');
  if (signature === '-()') return -1;
  if (!/^[+-]?\d+$/.test(offset)) throw bad('unsupported expression');
  if (Number(offset) > -1) throw bad('XPath offset from last() must be negative');
  return Number(offset) - 1;
}
