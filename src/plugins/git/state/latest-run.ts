/** What the parts of `git.latest` share: parameters, arguments, what is known (3006.16 salt/states/git.py). */
import { messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import type { Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { withBasicAuth } from '../module/credentials.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { ADDRESS, ENCODING, LOG_IN, RUN_AS } from './arguments.ts';
import type { GitCalls } from './calls.ts';
import type { RemoteRevision } from './remote-revision.ts';
import type { Progress } from './results.ts';

/** The parameters of `git.latest`. */
export const LATEST = {
  ...ADDRESS,
  target: param.value({ type: 'str', doc: 'The folder of the checkout.' }),
  rev: param.value({ default: 'HEAD', type: 'str', doc: 'The branch, tag or commit of the remote.' }),
  branch: param.textOrNone({ default: null, doc: 'The local branch; whichever is checked out without it.' }),
  ...RUN_AS,
  update_head: param.flag({ default: true, doc: 'Also move what is checked out; without it only fetch.' }),
  force_checkout: param.flag({ default: false, doc: 'Discard changes when another branch is checked out.' }),
  force_clone: param.flag({ default: false, doc: 'Empty a folder that is no checkout.' }),
  force_fetch: param.flag({ default: false, doc: 'Also fetch what is not ahead of what is here.' }),
  force_reset: param.value({
    default: false,
    type: 'bool or str',
    doc: 'Discard commits and changes of the checkout; `remote-changes`: only when the remote has changed.',
  }),
  submodules: param.flag({ default: false, doc: 'Update submodules.' }),
  bare: param.flag({ default: false, doc: 'A repository without a working tree.' }),
  mirror: param.flag({ default: false, doc: 'A bare repository with all refs of the remote.' }),
  remote: param.value({ default: 'origin', type: 'str', doc: 'The name of the remote.' }),
  fetch_tags: param.flag({ default: true, doc: 'Fetch tags that nothing else leads to.' }),
  sync_tags: param.flag({ default: true, doc: 'Remove tags that the remote does not have.' }),
  depth: param.textOrNone({ default: null, doc: 'Clone only so many commits.' }),
  ...LOG_IN,
  refspec_branch: param.text({ default: '*', doc: 'Which branches are fetched.' }),
  refspec_tag: param.text({ default: '*', doc: 'Which tags are fetched.' }),
  ...ENCODING,
} as const;

/** The arguments of `git.latest`. */
export type LatestArgs = TypedArguments<typeof LATEST>;

/** What the parts of `git.latest` share. */
export interface LatestRun {
  readonly ctx: StateContext;
  readonly args: Omit<LatestArgs, 'force_reset'>;
  readonly git: GitCalls;
  readonly progress: Progress;
  readonly target: string;
  readonly remote: string;
  readonly isBare: boolean;
  readonly forceReset: boolean | 'remote-changes';
  /** The address to fetch from, with its credentials. */
  readonly fetchUrl: string;
  readonly identity: Value;
  readonly saltenv: string;
  readonly refspecs: Value[];
  /** Keywords of functions that may fetch large files. */
  readonly lfs: Readonly<Record<string, Value>>;
  readonly wanted: RemoteRevision;
}

/** The address with the given user and password, or why it cannot have them. */
export function addressWithLogIn(
  name: string,
  { https_user, https_pass }: Pick<LatestArgs, 'https_user' | 'https_pass'>,
): { readonly url: string } | { readonly refusal: string } {
  try {
    return { url: withBasicAuth(name, https_user, https_pass) };
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    return { refusal: messageOf(error) };
  }
}
