/** How the request port says that something went wrong, to who knows what to look for (salt/master.py, 3006.16). */
import type { Encodable } from '../../../formats/wire/msgpack.ts';

/** @param name the exception that Salt would have raised */
export function errorReply(name: string, message: string): Encodable {
  return { error: { name, message } };
}
