/** Rules as `iptables-save` prints them (3006.16 salt/modules/iptables.py `_parse_conf`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { OPTION_NAMES } from './option-names.ts';

const isFlag = (word: string | undefined): boolean => word?.startsWith('-') === true;

/**
 * Words with one value behind each flag: values of several words are joined, and a `!` in front of a flag becomes part
 * of its value.
 */
function paired(line: string): string[] {
  const words = splitWords(line);
  for (let i = 0; i + 1 < words.length; i++) {
    const isSwapped = words[i] === '!' && isFlag(words[i + 1]);
    if (isSwapped) [words[i], words[i + 1]] = [words[i + 1] ?? '', words[i] ?? ''];
    if (!isFlag(words[i])) continue;
    i++;
    if (isFlag(words[i]) || (words[i] === '!' && !isSwapped)) {
      words.splice(i, 0, '');
      continue;
    }
    let end = i + 1;
    while (end < words.length && words[end] !== '!' && !isFlag(words[end])) end++;
    words.splice(i, end - i, words.slice(i, end).join(' '));
  }
  if (isFlag(words.at(-1))) words.push('');
  return words;
}

/**
 * The option that a word names, whole or by its beginning, and a value that is in the same word; undefined for what is
 * none.
 */
function optionOf(word: string): { readonly name: string; readonly value?: string } | undefined {
  const exact = OPTION_NAMES.get(word);
  if (exact !== undefined) return { name: exact };
  if (!isFlag(word) || word.length === 1) return undefined;
  const at = word.indexOf('=');
  const flag = at < 0 ? word : word.slice(0, at);
  const rest = at < 0 ? {} : { value: word.slice(at + 1) };
  const named = OPTION_NAMES.get(flag);
  if (named !== undefined) return { name: named, ...rest };
  if (!word.startsWith('--')) {
    const name = OPTION_NAMES.get(word.slice(0, 2));
    return name === undefined ? undefined : { name, value: word.slice(2) };
  }
  const [found, ...others] = [...OPTION_NAMES].filter(([known]) => known.startsWith(flag));
  return found === undefined || others.length > 0 ? undefined : { name: found[1], ...rest };
}

/** The options of a rule with their values, in the order of {@link OPTION_NAMES}; what is no option is left out. */
function ruleOptions(line: string): Map<string, string[]> {
  const words = paired(line);
  const found = new Map<string, string[]>();
  const add = (name: string, value: string): void =>
    void found.set(name, [...(found.get(name) ?? []), value]);
  for (let i = 0; i < words.length; i++) {
    const option = optionOf(words[i] ?? '');
    if (option === undefined) continue;
    if (option.value !== undefined) add(option.name, option.value);
    else add(option.name, words[++i] ?? '');
  }
  const order = new Set(OPTION_NAMES.values());
  return new Map([...order].flatMap((name) => (found.has(name) ? [[name, found.get(name) ?? []]] : [])));
}

/** One chain; made from a line like `:INPUT ACCEPT [0:0]`. */
function chainOf(line: string): readonly [string, Dict] {
  const [name = '', policy = '', counters = ''] = line.split(/\s+/);
  const [packets = '', bytes = ''] = counters.replace(/[[\]]/g, '').split(':');
  const counts = dict({ 'packet count': packets, 'byte count': bytes });
  const chain = new Map([...dict({ policy }), ...counts, ...dict({ rules: [], rules_comment: dict() })]);
  return [name.replaceAll(':', ''), chain];
}

function strange(line: string): CommandExecutionError {
  return new CommandExecutionError(
    `The rules of iptables cannot be read: '${line}' stands outside of a table or chain.`,
  );
}

function addRule(table: Dict | undefined, line: string): void {
  const options = ruleOptions(line);
  const [name] = options.get('append') ?? [];
  const chain = name === undefined ? undefined : table?.get(name);
  if (!isDict(chain)) throw strange(line);
  options.delete('append');
  const rule: Dict = new Map([...options].map(([key, values]): [Value, Value] => [key, values]));
  const [rules, named] = [chain.get('rules'), chain.get('rules_comment')];
  const [comment] = options.get('comment') ?? [];
  if (comment !== undefined && isDict(named)) named.set(comment.replace(/^"+|"+$/g, ''), rule);
  if (Array.isArray(rules)) rules.push(rule);
}

/**
 * Parses what `iptables-save` prints.
 * @returns table → chain → policy, packet count, byte count, rules and rules_comment
 * @throws CommandExecutionError for chains and rules without a table or chain
 */
export function parseRules(text: string): Dict {
  const tables: Dict = new Map();
  let table: Dict | undefined;
  for (const line of splitLines(text)) {
    if (line.startsWith('*')) {
      table = dict();
      tables.set(line.replaceAll('*', ''), table);
    } else if (line.startsWith(':')) {
      if (table === undefined) throw strange(line);
      table.set(...chainOf(line));
    } else if (line.startsWith('-A')) addRule(table, line);
  }
  return tables;
}
