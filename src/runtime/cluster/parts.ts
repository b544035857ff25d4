/**
 * What the parts of this master ask of its cluster, and what other masters ask of them
 * (network/ipc/contracts/cluster.ts).
 */
import type { MasterOptions } from '../../config/master-options.ts';
import { isClustered } from '../../config/cluster.ts';
import { clientOf, handlersOf, type Client, type Link } from '../../network/ipc/contract.ts';
import { clusterParts, requestClaims } from '../../network/ipc/contracts/cluster.ts';
import type { RpcHandlers } from '../../network/ipc/rpc.ts';
import type { MemberCalls, ServeCall } from './member-calls.ts';
import type { SharedTokens } from './shared-tokens.ts';

/** What calls to the request servers of other members are addressed to. */
export const REQUESTS = 'requests';

/** What parts are served with. */
export interface SharedPartsDeps {
  readonly calls: Pick<MemberCalls, 'linkTo'>;
  readonly tokens: Pick<SharedTokens, 'useOnce'>;
}

/** Answers the parts of this master. */
export function sharedParts({ calls, tokens }: SharedPartsDeps): Required<Pick<RpcHandlers, 'call'>> {
  const { call } = handlersOf(clusterParts, {
    claim: ({ member, ...request }) => clientOf(requestClaims, calls.linkTo(member, REQUESTS)).claim(request),
    useOnce: ({ name }) => tokens.useOnce(name),
  });
  return { call };
}

/**
 * Answers other members: nothing of the request server but its claims is theirs to ask for.
 * @param link to the request server
 */
export function servedClaims(link: Link): ServeCall {
  const server = clientOf(requestClaims, link);
  const { call } = handlersOf(requestClaims, { claim: (request) => server.claim(request) });
  return async (bytes) => {
    const answer = await call(bytes);
    return answer instanceof Uint8Array ? answer : Buffer.concat(answer);
  };
}

/**
 * Has a name taken once among all masters.
 * @returns undefined for a master that stands alone, where its own memory says all there is to say
 */
export function onceAmongAll(
  opts: Pick<MasterOptions, 'get'>,
  cluster: Pick<Client<typeof clusterParts>, 'useOnce'>,
): ((name: string) => Promise<boolean>) | undefined {
  return isClustered(opts) ? (name) => cluster.useOnce({ name }) : undefined;
}
