/** What a remote repository has, and which of it is wanted (3006.16 salt/states/git.py `latest`). */
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict } from '../../../python/values/value.ts';

/** The wanted revision, as the remote has it. */
export interface RemoteRevision {
  /** The revision as it was asked for; a commit id in lower case. */
  readonly rev: string;
  /** The commit; a short id where one was given. Undefined when there is none, or none is looked for. */
  readonly commit: string | undefined;
  readonly kind: 'branch' | 'tag' | 'sha1' | undefined;
  /** The branch that is to be tracked: `origin/main`. */
  readonly upstream: string | undefined;
  /** No branch is to be tracked; without this and without `upstream` it is left as it is. */
  readonly isUntracked: boolean;
  /** The revision as comments name it. */
  readonly place: string;
  /** The branch that the remote itself has checked out. */
  readonly defaultBranch: string | undefined;
  readonly hasHead: boolean;
}

/** True for what may be the id of a commit. */
export function looksLikeId(rev: string): boolean {
  return rev.length <= 40 && /^[0-9a-f]+$/i.test(rev);
}

type Found = Pick<RemoteRevision, 'commit' | 'kind' | 'upstream' | 'isUntracked'> & { readonly rev?: string };

const NOTHING: Found = { commit: undefined, kind: undefined, upstream: undefined, isUntracked: true };

function findRevision(refs: ReadonlyMap<string, string>, rev: string, remote: string): Found {
  if (rev === 'HEAD') {
    const head = refs.get('HEAD');
    return head === undefined
      ? NOTHING
      : { commit: head, kind: 'sha1', upstream: undefined, isUntracked: false };
  }
  const branch = refs.get(`refs/heads/${rev}`);
  if (branch !== undefined)
    return { commit: branch, kind: 'branch', upstream: `${remote}/${rev}`, isUntracked: false };
  const tag = refs.get(`refs/tags/${rev}^{}`) ?? refs.get(`refs/tags/${rev}`);
  if (tag !== undefined) return { ...NOTHING, commit: tag, kind: 'tag' };
  const id = rev.toLowerCase();
  return looksLikeId(rev) ? { ...NOTHING, rev: id, commit: id, kind: 'sha1' } : NOTHING;
}

function placeOf({ commit, kind, upstream }: Found, rev: string): string {
  if (commit === undefined) return 'None';
  const id = commit.slice(0, 7);
  if (kind === 'sha1') return rev === 'HEAD' ? `remote HEAD (${id})` : id;
  return `${upstream ?? rev} (${id})`;
}

/** Finds the wanted revision. @param isBare nothing is checked out, so none is looked for */
export function remoteRevision(
  listed: Dict,
  { rev, remote, isBare }: { readonly rev: string; readonly remote: string; readonly isBare: boolean },
): RemoteRevision {
  const refs = new Map([...listed].map(([name, id]) => [pyStr(name), pyStr(id)]));
  const head = refs.get('HEAD');
  const [defaultRef] = [...refs].find(([name, id]) => name.startsWith('refs/heads/') && id === head) ?? [];
  const found = isBare ? NOTHING : findRevision(refs, rev, remote);
  return {
    rev,
    ...found,
    place: placeOf(found, rev),
    defaultBranch: defaultRef?.slice('refs/heads/'.length),
    hasHead: head !== undefined,
  };
}

/** True when a commit is the one that is wanted, of which only the beginning may be known. */
export function isRevision(commit: string | undefined, { commit: wanted, kind }: RemoteRevision): boolean {
  if (commit === undefined || wanted === undefined) return commit === wanted;
  return kind === 'sha1' ? commit.startsWith(wanted) : commit === wanted;
}
