/** What a cluster's streams and subjects of NATS are called (docs/internals/cluster.md#streams-and-subjects). */

/** The names of one cluster. */
export interface ClusterNames {
  /** The stream of calls that write to the job cache, and its subject. */
  readonly jobs: { readonly stream: string; readonly subject: string };
  /** The stream of files that every master has, and what its subjects begin with. */
  readonly files: { readonly stream: string; readonly prefix: string };
  /** The stream of tokens, which forgets by age, and what its subjects begin with. */
  readonly tokens: { readonly stream: string; readonly prefix: string };
  /** The stream of queues, and what its subjects begin with. */
  readonly queues: { readonly stream: string; readonly prefix: string };
  /** The stream of what the cluster has once: members, shared key, leases. */
  readonly state: { readonly stream: string; readonly prefix: string };
  /** Where events of every master are heard. Kept nowhere. */
  readonly events: string;
  /** Where publications are handed to every master. Kept nowhere. */
  readonly publish: string;
  /** Where members answer who they are and how they are. Kept nowhere. */
  readonly ask: string;
}

/** @param id the cluster's name, of letters, digits, - and _ */
export function clusterNames(id: string): ClusterNames {
  const stream = `BRINE_${id}`;
  const root = `brine.${id}`;
  return {
    jobs: { stream: `${stream}_JOBS`, subject: `${root}.jobs` },
    files: { stream: `${stream}_FILES`, prefix: `${root}.files` },
    tokens: { stream: `${stream}_TOKENS`, prefix: `${root}.tokens` },
    queues: { stream: `${stream}_QUEUES`, prefix: `${root}.queues` },
    state: { stream: `${stream}_STATE`, prefix: `${root}.state` },
    events: `${root}.events`,
    publish: `${root}.publish`,
    ask: `${root}.ask`,
  };
}

/**
 * A name from outside as one token of a subject: its bytes in hexadecimal, so that it cannot be a wildcard or a further
 * token.
 */
export function subjectToken(name: string): string {
  return Buffer.from(name, 'utf8').toString('hex');
}

/** The name that a token stands for; undefined when it stands for none. */
export function ofSubjectToken(token: string): string | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(token)) return undefined;
  const name = Buffer.from(token, 'hex').toString('utf8');
  return subjectToken(name) === token ? name : undefined;
}
