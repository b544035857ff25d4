/**
 * Matchers of a site (`_matchers`), for top files of states and pillar and for the functions of `match`: `match(tgt)`
 * of the file `<kind>_match` (3006.16 salt/matchers/confirm_top.py, salt/loader/__init__.py `matchers`). One with the
 * name of Salt's comes before it. Which jobs are a minion's is decided without them: custom code never runs in a
 * daemon.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { extensionFiles, pythonFiles } from '../extensions/folder.ts';
import type { PythonSingleDeps } from './python-single.ts';
import { templateCaller } from '../python-host/callers.ts';

/** Kinds of targets that jobs have (3006.16 salt/matchers/). */
const BUILT_IN: ReadonlySet<string> = new Set(
  'compound glob pcre list grain grain_pcre pillar pillar_pcre pillar_exact ipcidr nodegroup range data'.split(
    ' ',
  ),
);

/** Who is asked about: what matchers see in `__opts__`. */
export interface Matched {
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
}

/**
 * Whether the target means them. @param named what Salt hands over besides the target: `minion_id`, `delimiter`
 * @throws what the file raises, and CommandExecutionError when it cannot be used
 */
export type OwnMatcher = (target: Value, about: Matched, named?: Dict) => Promise<boolean>;

/** The site's matcher for a kind of target; undefined when it has none, which is found out without reading a file. */
export function findOwnMatcher(opts: Dict, kind: string, deps: PythonSingleDeps): OwnMatcher | undefined {
  const name = `${kind}_match`;
  const source = extensionFiles(opts, 'matchers').find((one) => one.name === name);
  if (source !== undefined)
    return () => {
      throw new CommandExecutionError(
        `${source.path} cannot be used: matchers of a site are run in Python only`,
      );
    };
  const found = pythonFiles(opts, 'matchers').find((one) => one.name === name || one.file === name);
  if (found === undefined) return undefined;
  return async (target, about, named: Dict = new Map()) => {
    const { callFile } = await import('./python-single.ts');
    const call = { kind: 'matchers', file: found.file, path: found.path, fun: 'match' } as const;
    const caller = templateCaller(callsNothing, deps.log);
    return truthy(await callFile(deps, { ...call, args: [target], kwargs: named }, about, caller));
  };
}

/** As with Salt, matchers have no `__salt__`. */
const callsNothing = {
  has: () => false,
  call: (name: string): never => {
    throw new CommandExecutionError(`matchers have no __salt__, and cannot call ${name}`);
  },
};

/** One sentence about files of the site for kinds of targets that jobs have, whose jobs do not ask them. */
export function matchersNotAsked(opts: Dict): string | undefined {
  const names = [...pythonFiles(opts, 'matchers').map(({ name }) => name)].filter(
    (name) => name.endsWith('_match') && BUILT_IN.has(name.slice(0, -'_match'.length)),
  );
  return names.length === 0
    ? undefined
    : `The site's matchers ${names.join(', ')} count for top files and match.* only, and not for the words of a compound target there: which jobs are for this minion is decided by Brine's own.`;
}
