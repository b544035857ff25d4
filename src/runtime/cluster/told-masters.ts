/**
 * The masters of the cluster as minions are told of them: the addresses of those members that are there and give no
 * minions away. They are in a file, so that every worker has them; while this master is cut off the file stays as it
 * was.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Timer } from '../../host/clock.ts';
import { makeDirectory, readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { textList } from '../../formats/json/text-list.ts';
import { toJson } from '../../formats/json/text.ts';
import type { ClusterLink } from './link.ts';
import type { Members } from './members.ts';

const LOOK_MS = 1_000;
/** A member that has just started has not heard of all others yet: so long it leaves out none that it knew of. */
const FIRST_MS = 4_000;
/** More masters than any cluster has. */
const TOLD_MAX = 64;

function pathIn(cachedir: string): string {
  return join(cachedir, 'cluster', 'masters.json');
}

/** Writes the file. */
export interface ToldMastersDeps {
  readonly cachedir: string;
  readonly link: Pick<ClusterLink, 'isThere'>;
  readonly members: Pick<Members, 'addresses'>;
  /** Undefined for a member that minions are not told of. */
  readonly own: string | undefined;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
}

/** Keeps the file right. @returns what ends that */
export function keepToldMasters({
  cachedir,
  link,
  members,
  own,
  isDraining,
  clock,
}: ToldMastersDeps): Pick<Timer, 'cancel'> {
  const path = pathIn(cachedir);
  const completeMs = clock.monotonicMs() + FIRST_MS;
  let written: string | undefined;
  const look = (): void => {
    if (!link.isThere) return;
    const ours = own === undefined || isDraining() ? [] : [own];
    const known = clock.monotonicMs() < completeMs ? mastersIn(path).filter((each) => each !== own) : [];
    const all = [...new Set([...known, ...ours, ...members.addresses()])].sort();
    const text = toJson(all.slice(0, TOLD_MAX));
    if (text === written) return;
    writeFileAtomic(path, text, { mode: 0o600 });
    written = text;
  };
  makeDirectory(join(cachedir, 'cluster'), 0o700);
  // the first minion that logs in is told of this member at least: one that hears of none leaves the cluster
  look();
  return clock.every(LOOK_MS, look, { background: true });
}

function mastersIn(path: string): string[] {
  return textList(readTextIfExists(path));
}

/** Reads the file. */
export class ToldMasters {
  readonly #path: string;
  readonly #clock: Clock;
  #masters: readonly string[] = [];
  #mark = '';
  #lookedMs = -Infinity;

  constructor(cachedir: string, clock: Clock) {
    this.#path = pathIn(cachedir);
    this.#clock = clock;
  }

  /** `host` or `host:port` of each; nothing for a master that stands alone. */
  get list(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < LOOK_MS) return this.#masters;
    this.#lookedMs = nowMs;
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const mark = stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}`;
    if (mark === this.#mark) return this.#masters;
    this.#mark = mark;
    this.#masters = mastersIn(this.#path);
    return this.#masters;
  }
}
