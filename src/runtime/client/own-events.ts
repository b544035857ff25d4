/**
 * The event bus as the user of a program may hear it: whole, where he may open its socket, else by the door at which
 * everybody hears of his own jobs (`network/events/event-door.ts`).
 */
import { accessSync, constants, statSync } from 'node:fs';
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { closedFolderOn } from '../../host/not-permitted.ts';
import { thisUser } from '../../host/own-account.ts';
import type { Random } from '../../host/random.ts';
import { EventBusReader, type EventListeners } from '../../network/events/bus-client.ts';
import { listenerDigest } from '../../network/events/event-door.ts';
import { ClosedToUserError } from './errors.ts';

const SECRET_BYTES = 32;

/** One program's ear; it keeps its secret when it has to connect again. */
export class OwnEvents {
  readonly #opts: MasterOptions;
  readonly #secret: string;
  #isGuest = false;

  constructor(opts: MasterOptions, random: Random) {
    this.#opts = opts;
    this.#secret = random.bytes(SECRET_BYTES).toString('hex');
  }

  /** What a request has to name so that its events are heard; undefined where the whole bus is. */
  get listener(): string | undefined {
    return this.#isGuest ? listenerDigest(this.#secret) : undefined;
  }

  /** @throws ClosedToUserError when this user may not; UnreachableError when there is nobody */
  async connect(...listeners: EventListeners): Promise<EventBusReader> {
    const { eventPub, eventDoor } = masterSockets(this.#opts);
    if (typeof eventPub !== 'string' || mayUse(eventPub))
      return EventBusReader.connect(eventPub, ...listeners);
    if (!isThere(eventDoor)) throw refusal(this.#opts, eventPub);
    this.#isGuest = true;
    return EventBusReader.connectAsGuest(eventDoor, this.#secret, ...listeners);
  }
}

/**
 * Why this user cannot get to a path below the master's folders, in a sentence with what to do.
 * @returns undefined when no folder is in the way
 */
export function closedFolder(path: string): string | undefined {
  const closed = closedFolderOn(path);
  if (closed === undefined) return undefined;
  return (
    `The user ${thisUser()} may not enter the folder ${closed}, in which ${path} is. ` +
    `Let everybody pass through it, as root: chmod o+x ${closed}`
  );
}

function refusal(opts: MasterOptions, eventPub: string): ClosedToUserError {
  return new ClosedToUserError(
    closedFolder(eventPub) ??
      `The user ${thisUser()} may not publish jobs on this master: it has neither publisher_acl nor external_auth, and ` +
        `${eventPub} is for ${opts.get('user')} alone. Run the command as ${opts.get('user')}, or name the user in publisher_acl and restart the master.`,
  );
}

/** False where the user may not; true also where there is nothing, which the connection then says. */
function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}
