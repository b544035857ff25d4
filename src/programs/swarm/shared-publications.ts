/**
 * Publications, opened once for all simulated minions of a process. A master sends the same bytes to everybody, so the
 * signature, the decryption, the reading of the job and of its target are the same for all who hold the same keys; each
 * minion still receives the bytes over its own connection, and checks the serial and the target for itself.
 */
import type { MinionCredentials } from '../../network/channel/client/authenticate.ts';
import type { PublicationFault } from '../../network/channel/client/publication.ts';
import { MacError } from '../../network/crypto/crypticle.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { readJob, type Job } from '../minion/job.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { TargetError, type Target } from '../../runtime/targeting/target.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { parsePublishEnvelope } from '../../formats/wire/envelope.ts';

/** Publications kept for minions that have not read theirs yet. */
const KEPT_MAX = 256;

/** A genuine publication. */
export interface OpenedPublication {
  readonly job: Job;
  /** Undefined when the target is invalid: it means nobody. */
  readonly target: Target | undefined;
  readonly serial: number | undefined;
}

/** Opens each publication once for all simulated minions that hold the same keys. */
export class SharedPublications {
  readonly #opened = new BoundedMap<string, OpenedPublication | PublicationFault>(KEPT_MAX);
  /** How often bytes had to be opened, against how often they were asked for. */
  readonly counters = { asked: 0, opened: 0 };

  /** @returns the publication, or why it is not taken; `wrong key` asks for a new authentication */
  open(parts: readonly Buffer[], credentials: MinionCredentials): OpenedPublication | PublicationFault {
    this.counters.asked++;
    const body = parts[parts.length - 1] ?? Buffer.alloc(0);
    const key = `${credentials.shared.keyString.reveal()}${body.toString('latin1')}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    this.counters.opened++;
    const opened = openOnce(parts, credentials);
    this.#opened.set(key, opened);
    return opened;
  }
}

function openOnce(
  parts: readonly Buffer[],
  credentials: MinionCredentials,
): OpenedPublication | PublicationFault {
  const envelope = parsePublishEnvelope(parts);
  if (envelope?.sig === undefined) return 'malformed';
  const { load, sig, sigAlgo = 'PKCS1v15-SHA1' } = envelope;
  if (!credentials.masterKey.verify(load, sig, sigAlgo)) return 'bad signature';
  let value;
  try {
    value = credentials.shared.loads(load);
  } catch (error) {
    return error instanceof MacError ? 'wrong key' : 'malformed';
  }
  const job = value !== undefined && isDict(value) ? readJob(value) : undefined;
  if (job === undefined) return 'malformed';
  const serial = job.pub.get('serial');
  return { job, target: targetOf(job), serial: typeof serial === 'number' ? serial : undefined };
}

function targetOf({ tgt, tgtType, delimiter }: Job): Target | undefined {
  try {
    return parseTarget(tgt, tgtType, delimiter);
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}

/** Grains and pillar of a simulated minion: it has none. */
export const NOTHING_KNOWN: Dict = new Map();
