/**
 * Who may fire which event on a master's bus, in one table: programs believe a tag, so that nobody may use one that
 * speaks for the master or for another minion. Tags that no rule names are the site's, and anybody may fire them.
 */

/** Whose a tag is: the master's own processes', or those of the minion that its first group names. */
export type TagOwner = 'master' | 'minion';

/** One rule. */
export interface TagRule {
  /** The tags, as the documentation shows them. */
  readonly tags: string;
  readonly pattern: RegExp;
  readonly owner: TagOwner;
  /**
   * True where Salt's master refuses it, too; a syndic then does not even forward it (salt/utils/event.py, 3006.16).
   */
  readonly isSalts?: true;
  /** What is believed of such an event. */
  readonly why: string;
}

/** The table. Several rules may fit a tag; all of them hold. */
export const TAG_RULES: readonly TagRule[] = [
  {
    tags: 'salt/job/<jid>/new, …/publish, …/return',
    pattern: /^salt\/job\/.*\/(?:publish|new|return)$/s,
    owner: 'master',
    isSalts: true,
    why: 'that a job was published, and for whom',
  },
  {
    tags: 'salt/key, salt/key/*',
    pattern: /^salt\/key$/,
    owner: 'master',
    isSalts: true,
    why: 'that a key was accepted, rejected or deleted',
  },
  {
    tags: 'salt/cloud/*, salt/run/*, salt/cluster/*',
    pattern: /^salt\/(?:cloud|run|cluster)\//,
    owner: 'master',
    isSalts: true,
    why: 'what runners, clouds and the masters of a cluster did',
  },
  {
    tags: 'salt/wheel/<jid>/new, …/return',
    pattern: /^salt\/wheel\/.*\/(?:new|return)$/s,
    owner: 'master',
    isSalts: true,
    why: 'what wheel functions did',
  },
  {
    tags: 'salt/wheel/*, salt/scheduler/*, salt/stats/*, salt/fileserver/*, salt/queue/*',
    pattern: /^salt\/(?:key|cloud|run|cluster|wheel|scheduler|stats|fileserver|queue)(?:\/|$)/,
    owner: 'master',
    why: 'what wheel functions, the schedule, the workers, the file server and queues of the master did',
  },
  {
    tags: 'salt/auth, salt/auth/*, salt/presence/*, salt/netapi/*',
    pattern: /^salt\/(?:auth|presence|netapi)(?:\/|$)/,
    owner: 'master',
    why: 'who has authenticated or is connected, what came in over HTTP',
  },
  {
    tags: '*salt/reactors/*',
    pattern: /salt\/reactors(?:\/|$)/,
    owner: 'master',
    why: "orders to Salt's reactor, which takes them wherever they stand in a tag",
  },
  {
    tags: 'salt/job/<jid>/error, …/outcome/<id>, …/apart/<id>',
    pattern: /^salt\/job\/(?:(?:.*\/)?error$|.*\/(?:outcome|apart)\/)/s,
    owner: 'master',
    why: 'that a job was refused, what became of a minion that did not return, and that one returned which was not asked',
  },
  {
    tags: '<jid>, <jid>/*, new_job',
    pattern: /^(?:\d{20}|new_job$)/,
    owner: 'master',
    why: 'the minions that a job is for',
  },
  {
    tags: 'key, cluster/*, fire_master, brine/* but brine/upgrade/<id>',
    pattern: /^(?:key$|fire_master$|cluster\/|brine\/(?!upgrade\/))/,
    owner: 'master',
    why: 'orders and news between the processes of masters',
  },
  {
    tags: 'salt/job/<jid>/ret/<id>, …/prog/<id>/*, …/sub/<id>/*, …/received/<id>, …/start/<id>',
    pattern: /^salt\/job\/[^/]*\/(?:ret|prog|sub|received|start)\/([^/]*)/,
    owner: 'minion',
    why: 'how far a minion is with a job, and what it returned',
  },
  {
    tags: 'salt/minion/<id>/*, salt/beacon/<id>/*, salt/syndic/<id>/*',
    pattern: /^salt\/(?:minion|beacon|syndic)\/([^/]*)\//,
    owner: 'minion',
    why: 'that it has started, what its beacons saw',
  },
  {
    tags: 'brine/upgrade/<id>',
    pattern: /^brine\/upgrade\/(.*)$/s,
    owner: 'minion',
    why: 'that it has become another version, or has gone back',
  },
  {
    tags: 'salt/state_result/<jid>/<id>/*',
    pattern: /^salt\/state_result\/[^/]*\/([^/]*)/,
    owner: 'minion',
    why: 'the result of a state with `fire_event`',
  },
  {
    tags: 'minion/refresh/<id>',
    pattern: /^minion\/refresh\/(.*)$/s,
    owner: 'minion',
    why: 'that its data on the master have changed',
  },
];

/** Longer tags are nobody's. */
const LENGTH_MAX = 1024;
const OF_SYNDICS = /^syndic\//;

/** True for tags that a syndic does not pass on, and that a master does not take from one, as Salt since 3006.12. */
export function isTagOfMasterOnly(tag: string): boolean {
  return TAG_RULES.some(({ isSalts, pattern }) => isSalts === true && pattern.test(tag));
}

/**
 * True when an accepted minion may fire this tag. What begins with `syndic/` is what syndics tell, and believed of them
 * only.
 */
export function isTagAllowedFromMinion(tag: string, id: string): boolean {
  return !OF_SYNDICS.test(tag) && isAllowed(tag, (minion) => minion === id);
}

/**
 * True when a syndic may fire this tag.
 * @param speaksFor whether it may speak for a minion
 */
export function isTagAllowedFromSyndic(
  tag: string,
  id: string,
  speaksFor: (minion: string) => boolean,
): boolean {
  return (!OF_SYNDICS.test(tag) || tag.startsWith(`syndic/${id}/`)) && isAllowed(tag, speaksFor);
}

function isAllowed(tag: string, speaksFor: (minion: string) => boolean): boolean {
  if (tag === '' || tag.length > LENGTH_MAX || tag.includes('\n\n')) return false;
  return TAG_RULES.every(({ pattern, owner }) => {
    const match = pattern.exec(tag);
    return match === null || (owner === 'minion' && speaksFor(match[1] as string));
  });
}
