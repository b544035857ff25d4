/** What the master's workers, its housekeeping and local programs ask of the publisher, over `publish_pull.ipc`. */
import { contract, type Client } from '../contract.ts';
import {
  byName,
  count,
  fields,
  flag,
  list,
  mapping,
  nothing,
  optional,
  record,
  single,
  text,
  type FieldType,
} from '../fields.ts';

/** Of minions that a publication is expected to reach, those that are not there. */
const absence = record({
  /** Those that are known to be away, and since when (UTC). */
  lost: byName(text),
  /** Those that were never seen; undefined when nobody can tell. */
  strange: optional(list(text)),
  /**
   * Since when (UTC) none of `strange` can have been connected; undefined while one that does not say who it is may be.
   */
  unseenSince: optional(text),
  /** The serial that the publication has. */
  serial: optional(count),
});

/** What is known of a minion's connection. */
const connection = record({
  isConnected: flag,
  /** When it was last lost (UTC); also of minions that have come back. */
  lostSince: optional(text),
});

/** The contract. */
export const publisher = contract('the publisher', {
  /** Encrypts, signs and sends a publication. Answered when it is on its way. */
  publish: {
    asks: fields({
      load: mapping,
      /** The minions it is for, when its target names them; left out it is sent to everybody. */
      ids: optional(list(text)),
      /** The minions it is expected to reach, whose absence the answer tells. */
      expected: list(text),
      /** Its serial is to be higher: another master of the cluster has sent it with this one. */
      serialAbove: optional(count),
    }),
    answers: single(absence),
  },
  /** Whether a job was published a short while ago. */
  hasPublished: { asks: fields({ jid: text }), answers: single(flag) },
  /** What is known of these minions' connections; those that never identified themselves are missing. */
  connections: { asks: fields({ ids: list(text) }), answers: single(byName(connection)) },
  /** Closes the publish ports, and with them the connection of each minion. @returns how many there were */
  close: { asks: nothing, answers: single(count) },
  /** The addresses that subscribers come from. */
  addresses: { asks: nothing, answers: single(list(text)) },
});

/** See {@link publisher}. */
export type Absence = FieldType<typeof absence>;
/** See {@link publisher}. */
export type Connection = FieldType<typeof connection>;
/** See {@link publisher}. */
export type PublisherClient = Client<typeof publisher>;
