/**
 * What the parts of a master ask of the one that ties it to the others of its cluster, over `cluster.ipc`, and that one
 * of the request server.
 */
import { ELSEWHERE_VERDICTS } from '../../channel/sessions-elsewhere.ts';
import { contract } from '../contract.ts';
import { count, fields, flag, oneOf, single, text } from '../fields.ts';

const request = { id: text, code: text, ts: count, mark: text } as const;
const verdict = single(oneOf(...ELSEWHERE_VERDICTS));

/** What a cluster does for the master. */
export const clusterParts = contract('the cluster', {
  /** May a request be served here that was sealed with a session which another master has given? */
  claim: { asks: fields({ member: text, ...request }), answers: verdict },
  /** Takes a name, once in the whole cluster within the life of tokens. @returns false when it was taken before */
  useOnce: { asks: fields({ name: text }), answers: single(flag) },
});

/** What other masters ask of the request server, through the cluster. */
export const requestClaims = contract('the request server', {
  /** A request is about to be served by another master, with a session that was given here. */
  claim: { asks: fields(request), answers: verdict },
});
