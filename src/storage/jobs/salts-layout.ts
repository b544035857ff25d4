/**
 * Where a master of Salt keeps its jobs: `<cachedir>/jobs/<hash[:2]>/<hash[2:]>/`, the hash being that of the job id
 * (salt/returners/local_cache.py, salt/utils/jid.py `jid_dir`, 3006.16 and 3007). Everything in the groups is taken for
 * a job there, and everything in the root for a group: a file of ours between them would end Salt's lists and its
 * clean-up with an exception.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The job id, in every folder that Salt itself has made; Salt removes folders without it. */
export const JID_FILE = 'jid';
/** What was published. */
export const LOAD_FILE = '.load.p';
/** Whom it was meant for. */
export const MINIONS_FILE = '.minions.p';
/** In the folder of a minion: what it returned. */
export const RETURN_FILE = 'return.p';
/** In the folder of a minion: the outputter to show it with. */
export const OUT_FILE = 'out.p';
/** Marks a job whose returns are not to be kept. */
export const NO_CACHE_FILE = 'nocache';

/** Minions that a syndic has named besides: `.minions.<syndic>.p`. */
export const SYNDIC_MINIONS = /^\.minions\..+\.p$/;
/** The name of that file for one syndic. */
export function syndicMinionsFile(syndicId: string): string {
  return `.minions.${syndicId}.p`;
}
/** Names of groups, and of jobs in them: anything else was put there by somebody else. */
export const GROUP_NAME = /^[0-9a-f]{2}$/;
export const JOB_NAME = /^[0-9a-f]{24,}$/;

/** The root. @param cachedir the master's `cachedir` */
export function saltsJobsRoot(cachedir: string): string {
  return join(cachedir, 'jobs');
}

/** The folder of one job. @param hashType the option `hash_type` */
export function saltsJobFolder(cachedir: string, hashType: string, jid: string): string {
  const hash = createHash(hashType).update(jid).digest('hex');
  return join(saltsJobsRoot(cachedir), hash.slice(0, 2), hash.slice(2));
}
