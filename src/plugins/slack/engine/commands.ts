/** Who may have what run from Slack, and what a message asks for (salt/engines/slack_bolt_engine.py, 3006.16). */
import { loadYaml } from '../../../formats/yaml/load.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** A group of the option `groups`: people, what they may, and whom it is for. */
interface SlackGroup {
  readonly users: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
  readonly aliases: Dict;
  readonly defaultTarget: Value;
  readonly targets: Dict;
}

/** What a message asks for. */
export interface SlackCommand {
  /** The function and its words. */
  readonly cmdline: readonly string[];
  readonly target: string;
  readonly tgtType: string;
}

/** The groups of the option, and what is wrong with it. Pillar comes first, the configuration after it. */
export function readGroups(sources: readonly Value[]): { groups: SlackGroup[]; faults: string[] } {
  const groups = new Map<string, SlackGroup>();
  const faults: string[] = [];
  for (const [key, config] of sources.flatMap((source) => (isDict(source) ? [...source] : []))) {
    const name = pyStr(key);
    if (!isDict(config)) {
      faults.push(`The group ${name} of slack_bolt is no mapping; it is left out.`);
      continue;
    }
    const before = groups.get(name);
    groups.set(name, {
      users: new Set([...(before?.users ?? []), ...textsOf(config.get('users'))]),
      commands: new Set([...(before?.commands ?? []), ...textsOf(config.get('commands'))]),
      aliases: merged(before?.aliases, config.get('aliases')),
      defaultTarget: merged(
        isDict(before?.defaultTarget) ? before.defaultTarget : undefined,
        config.get('default_target'),
      ),
      targets: merged(before?.targets, config.get('targets')),
    });
  }
  return { groups: [...groups.values()], faults };
}

const textsOf = (value: Value | undefined): string[] => (Array.isArray(value) ? value.map(pyStr) : []);

const merged = (first: Dict | undefined, second: Value | undefined): Dict =>
  new Map([...(first ?? []), ...(isDict(second) ? second : [])]);

/**
 * What the text behind the trigger asks for.
 * @returns undefined when no group lets this person do it
 * @throws SaltInvocationError for quotes that are not closed
 */
export function commandIn(
  text: string,
  user: string,
  groups: readonly SlackGroup[],
): SlackCommand | undefined {
  const typed = wordsOf(text);
  const name = typed[0] ?? '';
  const group = groups.find(
    ({ users, commands, aliases }) =>
      (users.has(user) || users.has('*')) && (commands.has(name) || aliases.has(name) || commands.has('*')),
  );
  if (group === undefined || name === '' || user === '') return undefined;
  const alias = group.aliases.get(name);
  const meant =
    alias === undefined
      ? typed
      : [...wordsOf(pyStr((isDict(alias) ? alias.get('cmd') : undefined) ?? '')), ...typed.slice(1)];
  const { target, tgtType } = targetOf(group, [typed, meant]);
  const cmdline = meant.filter((word) => !word.startsWith('target') && !word.startsWith('tgt_type'));
  return { cmdline, target, tgtType };
}

/** Words of a command line, addresses as they were typed: Slack writes `<http://a.b|a.b>`. */
function wordsOf(text: string): string[] {
  return splitWords(text).map((word) => word.replace(/^(.*)<[^|>]*\|([^>]*)>(.*)$/, '$1$2$3'));
}

/** The target that is typed, else that of the function, else that of the group, else all. */
function targetOf(
  { defaultTarget, targets }: SlackGroup,
  lines: readonly (readonly string[])[],
): { target: string; tgtType: string } {
  for (const line of lines) {
    const { kwargs } = argumentsOf(line);
    const target = kwargs.get('target');
    if (target !== undefined)
      return { target: pyStr(target), tgtType: pyStr(kwargs.get('tgt_type') ?? 'glob') };
  }
  for (const [name] of lines) {
    const own = targets.get(name ?? '');
    const chosen = isDict(own) && own.size > 0 ? own : defaultTarget;
    if (isDict(chosen) && truthy(chosen.get('target')))
      return {
        target: pyStr(chosen.get('target') ?? ''),
        tgtType: pyStr(chosen.get('tgt_type') ?? 'glob'),
      };
  }
  return { target: '*', tgtType: 'glob' };
}

/** Arguments and keywords behind the function; they are texts, but `pillar`. */
export function argumentsOf(cmdline: readonly string[]): { args: Value[]; kwargs: Dict } {
  const args: Value[] = [];
  const kwargs: Dict = dict();
  for (const word of cmdline.slice(1)) {
    const at = word.indexOf('=');
    if (at < 0) args.push(word);
    else {
      const [key, value] = [word.slice(0, at), word.slice(at + 1)];
      kwargs.set(key, key === 'pillar' ? loadYaml(value) : value);
    }
  }
  return { args, kwargs };
}
