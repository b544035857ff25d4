/** Event tags, spelt in one place (docs/internals/event-bus.md#tags). */

/** The field of a publication with which minions tell that they begin with the job (`--start-event`, 3008.1). */
export const START_EVENT_FIELD = 'start_event';

/** Tags on the master's bus. */
export const tags = {
  jobNew: (jid: string): string => `salt/job/${jid}/new`,
  jobPublish: (jid: string): string => `salt/job/${jid}/publish`,
  jobReturn: (jid: string, id: string): string => `salt/job/${jid}/ret/${id}`,
  jobError: (jid: string): string => (jid === '' ? 'salt/job/error' : `salt/job/${jid}/error`),
  jobProgress: (jid: string, id: string, n: number): string => `salt/job/${jid}/prog/${id}/${n}`,
  jobStateError: (jid: string, id: string, fun: string): string => `salt/job/${jid}/sub/${id}/error/${fun}`,
  auth: 'salt/auth',
  /** Ours: a decision against somebody who wanted to publish, to call a function of the master, or to log in. */
  authRefused: 'salt/auth/refused',
  key: 'salt/key',
  keyRotated: 'key',
  minionStart: (id: string): string => `salt/minion/${id}/start`,
  legacyMinionStart: 'minion_start',
  /** Ours: an identified minion's connection to the publish port has come or gone. */
  minionConnected: (id: string): string => `brine/minion/${id}/connected`,
  minionDisconnected: (id: string): string => `brine/minion/${id}/disconnected`,
  /** Ours: what became of the trial of another version. */
  upgrade: (id: string): string => `brine/upgrade/${id}`,
  /** Ours: a minion has a job and works on it. Begins as Salt's job events do, so that who waits hears it. */
  jobReceived: (jid: string, id: string): string => `salt/job/${jid}/received/${id}`,
  /** With `--start-event` (3008.1): a minion begins to run a job. */
  jobStart: (jid: string, id: string): string => `salt/job/${jid}/start/${id}`,
  /** Ours: a minion has returned for a job that was not meant for it, or that nobody knows. */
  jobApart: (jid: string, id: string): string => `salt/job/${jid}/apart/${id}`,
  /** Ours: what became of a minion that did not return in time. */
  jobOutcome: (jid: string, id: string): string => `salt/job/${jid}/outcome/${id}`,
  /** Ours: the job's events are for the program whose secret has the digest in the event's data (`event-door.ts`). */
  listening: (jid: string): string => `brine/listening/${jid}`,
  minionRefresh: (id: string): string => `minion/refresh/${id}`,
  presencePresent: 'salt/presence/present',
  presenceChange: 'salt/presence/change',
  saltError: '_salt_error',
  syndicStart: (id: string): string => `salt/syndic/${id}/start`,
  legacySyndicStart: 'syndic_start',
  /** What a syndic forwards, under its name. */
  ofSyndic: (id: string, tag: string): string => `${syndicName(id)}/${tag}`,
} as const;

/**
 * A syndic as the master above it names it beside its minions: in presence, in the ledger, and where tags begin. No
 * minion id has a slash, so that a minion of the same id is somebody else.
 */
export function syndicName(id: string): string {
  return `syndic/${id}`;
}

/** The syndic's id in a {@link syndicName}; undefined for a minion's id. */
export function syndicIdOf(name: string): string | undefined {
  return name.startsWith('syndic/') ? name.slice('syndic/'.length) : undefined;
}

/**
 * The syndic and the job in a tag `syndic/<id>/…/<jid>`, with which a syndic tells whom it expects; undefined for
 * another tag.
 */
export function readSyndicReport(tag: string): { id: string; jid: string } | undefined {
  const parts = /^syndic\/([^/]+)\/(?:syndic\/[^/]+\/)*(\d{20}[0-9A-Za-z_]{0,44})$/.exec(tag);
  return parts === null ? undefined : { id: parts[1] as string, jid: parts[2] as string };
}

/** The job and the minion of a {@link tags.jobReturn}; undefined for another tag. */
export function readReturnTag(tag: string): { jid: string; id: string } | undefined {
  const parts = /^salt\/job\/([0-9A-Za-z_]{1,64})\/ret\/([^/]+)$/.exec(tag);
  return parts === null ? undefined : { jid: parts[1] as string, id: parts[2] as string };
}

/** The job and the minion of a {@link tags.jobReceived} or {@link tags.jobStart}; undefined for another tag. */
export function readReceipt(tag: string): { jid: string; id: string } | undefined {
  const parts = /^salt\/job\/([0-9A-Za-z_]{1,64})\/(?:received|start)\/([^/]+)$/.exec(tag);
  return parts === null ? undefined : { jid: parts[1] as string, id: parts[2] as string };
}

/** The job and the minion of a tag by which a minion tells how far it is with a job; undefined for another tag. */
export function readMinionsPart(tag: string): { jid: string; id: string } | undefined {
  const parts = /^salt\/job\/([0-9A-Za-z_]{1,64})\/(?:ret|prog|sub|received|start)\/([^/]+)/.exec(tag);
  return parts === null ? undefined : { jid: parts[1] as string, id: parts[2] as string };
}

const DISCONNECTED = /^brine\/minion\/([^/]+)\/disconnected$/;

/** The minion whose connection this event says to be gone; undefined for any other event. */
export function minionOfDisconnected(tag: string): string | undefined {
  return DISCONNECTED.exec(tag)?.[1];
}

/** The job in a {@link tags.listening}; undefined for another tag. */
export function listeningJob(tag: string): string | undefined {
  return tag.startsWith('brine/listening/') ? tag.slice('brine/listening/'.length) : undefined;
}

/** The minion whose connection has come or gone, here or below a syndic; undefined for another tag. */
export function minionOfLink(tag: string): string | undefined {
  return /^(?:syndic\/.*\/)?brine\/minion\/([^/]+)\/(?:dis)?connected$/s.exec(tag)?.[1];
}

/**
 * The job of a tag `salt/job/<jid>/…` or `salt/run/<jid>/…`, or of one with which a syndic names its minions; undefined
 * for another tag.
 */
export function jobOfTag(tag: string): string | undefined {
  if (tag.startsWith('syndic/')) return readSyndicReport(tag)?.jid;
  return /^salt\/(?:job|run)\/([^/]+)\//.exec(tag)?.[1];
}
