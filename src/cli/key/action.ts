/** What a `salt-key` command line asks for (KeyCLI._update_opts in salt/key.py, 3006.16). */
import { KEY_STATES, type KeyState } from '../../storage/keys/store.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

/** Shows keys that match. */
export interface ShowAction {
  readonly kind: 'list' | 'print' | 'finger';
  readonly match: string;
}

/** Changes keys that match. */
export interface ChangeAction {
  readonly kind: 'accept' | 'reject' | 'delete';
  readonly match: string;
  /** States whose keys are touched, in the order in which they are shown. */
  readonly from: readonly KeyState[];
  /** States that are named when nothing matches. */
  readonly named: readonly KeyState[];
}

/** One action with what it works on. */
export type KeyAction =
  { readonly kind: 'gen-keys' } | { readonly kind: 'gen-signature' } | ShowAction | ChangeAction;

/** Options in the order in which the first one given wins. */
const ORDER = ['list', 'print', 'accept', 'reject', 'delete', 'finger'] as const;

/** The action of a command line; without any it is to list everything. */
export function keyAction(parsed: ParsedOptions): KeyAction {
  if (parsed.flag('gen_keys')) return { kind: 'gen-keys' };
  if (parsed.flag('gen_signature')) return { kind: 'gen-signature' };
  for (const kind of ORDER) {
    const all = kind === 'list' ? 'all' : '*';
    const match = parsed.flag(kind) ? parsed.text(kind) : parsed.flag(`${kind}_all`) ? all : undefined;
    if (match === undefined) continue;
    if (kind === 'list' || kind === 'print' || kind === 'finger') return { kind, match };
    return changeAction(kind, match, parsed);
  }
  return { kind: 'list', match: 'all' };
}

/** Accepting and rejecting touch pending keys unless more is asked for; deleting touches all. */
function changeAction(kind: ChangeAction['kind'], match: string, parsed: ParsedOptions): ChangeAction {
  const include = (state: 'accepted' | 'rejected'): boolean =>
    parsed.flag(`include_${state}`) || (kind !== 'delete' && parsed.flag('include_all'));
  const named: KeyState[] = ['pending'];
  if (kind !== 'accept' && include('accepted')) named.push('accepted');
  if (kind !== 'reject' && include('rejected')) named.push('rejected');
  if (parsed.flag('include_denied')) named.push('denied');
  return { kind, match, named, from: kind === 'delete' ? KEY_STATES : named };
}

/** What is said when nothing matches. */
export function noMatchMessage({ match, named }: ChangeAction): string {
  const names = named.map((state) => (state === 'pending' ? 'unaccepted' : state));
  const last = names.at(-1) ?? '';
  const states = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last;
  return `The key glob '${match}' does not match any ${states} keys.`;
}
