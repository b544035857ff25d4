/** What a `salt-key` command line asks for (KeyCLI._update_opts in salt/key.py, 3006.16). */
import { compileGlob } from '../../python/text/fnmatch.ts';
import { stateCalled, type KeyIds, type KeyTexts } from '../../storage/keys/manager.ts';
import { KEY_STATES, type KeyState } from '../../storage/keys/store.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

interface MatchingAction {
  readonly match: string;
  /** Whether all keys are meant, of which there may be none. */
  readonly isAll: boolean;
}

/** Shows keys that match. */
export interface ShowAction extends MatchingAction {
  readonly kind: 'list' | 'print' | 'finger';
  /** The state that `--list` names beside the action. */
  readonly only?: KeyState;
}

/** Changes keys that match. */
export interface ChangeAction extends MatchingAction {
  readonly kind: 'accept' | 'reject' | 'delete';
  /** States whose keys are touched, in the order in which they are shown. */
  readonly from: readonly KeyState[];
  /** True when `--list` names the state. */
  readonly isOfOneState: boolean;
  /** States that are named when nothing matches. */
  readonly named: readonly KeyState[];
}

/** One action with what it works on. */
export type KeyAction =
  { readonly kind: 'gen-keys' } | { readonly kind: 'gen-signature' } | ShowAction | ChangeAction;

/** The actions; a command line has one of them. */
const KINDS = ['print', 'accept', 'reject', 'delete', 'finger'] as const;

/**
 * The action of a command line; without any it is to list everything.
 *
 * Salt compat: with `--list` beside another action Salt only lists. Here it says in which state the keys are that are
 * meant: a denied key has the id of an accepted one, and could not be deleted alone.
 */
export function keyAction(parsed: ParsedOptions): KeyAction {
  if (parsed.flag('gen_keys')) return { kind: 'gen-keys' };
  if (parsed.flag('gen_signature')) return { kind: 'gen-signature' };
  const listed = parsed.flag('list') ? parsed.text('list') : 'all';
  const only = stateCalled(listed);
  for (const kind of KINDS) {
    const isAll = parsed.flag(`${kind}_all`);
    if (!isAll && !parsed.flag(kind)) continue;
    const match = isAll ? '*' : parsed.text(kind);
    if (kind === 'print' || kind === 'finger')
      return { kind, match, isAll, ...(only === undefined ? {} : { only }) };
    return changeAction(kind, { match, isAll }, parsed, only);
  }
  return { kind: 'list', match: listed, isAll: true };
}

/** Accepting and rejecting touch pending keys unless more is asked for; deleting touches all. */
function changeAction(
  kind: ChangeAction['kind'],
  matching: MatchingAction,
  parsed: ParsedOptions,
  only: KeyState | undefined,
): ChangeAction {
  if (only !== undefined) return { kind, ...matching, from: [only], named: [only], isOfOneState: true };
  const include = (state: 'accepted' | 'rejected'): boolean =>
    parsed.flag(`include_${state}`) || (kind !== 'delete' && parsed.flag('include_all'));
  const named: KeyState[] = ['pending'];
  if (kind !== 'accept' && include('accepted')) named.push('accepted');
  if (kind !== 'reject' && include('rejected')) named.push('rejected');
  if (parsed.flag('include_denied')) named.push('denied');
  const from = kind === 'delete' ? KEY_STATES : named;
  return { kind, ...matching, named, from, isOfOneState: false };
}

/** What is said when nothing matches. */
export function noMatchMessage({ match, named }: Pick<ChangeAction, 'match' | 'named'>): string {
  const names = named.map((state) => (state === 'pending' ? 'unaccepted' : state));
  const last = names.at(-1) ?? '';
  const states = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last;
  return `The key glob '${match}' does not match any ${states} keys.`;
}

/** Those of the globs of an action that match nobody; none for an action on all keys. */
export function unmatchedGlobs({ match, isAll }: MatchingAction, found: KeyIds | KeyTexts): string[] {
  if (isAll) return [];
  const ids = [...found.values()].flatMap((content) =>
    Array.isArray(content) ? content : [...content.keys()],
  );
  return match.split(',').filter((text) => {
    const glob = compileGlob(text);
    return !ids.some((id) => glob.matches(id));
  });
}
