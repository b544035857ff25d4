/** Where the programs of one host meet: a unix socket or, with `ipc_mode: tcp`, a port. */
import { existsSync } from 'node:fs';

/** The path of a unix socket, or a port of this host. */
export type LocalPlace = string | { readonly host: string; readonly port: number };

/** Whether something may listen there: a socket that does not exist needs no attempt. */
export function mayListen(place: LocalPlace): boolean {
  return typeof place !== 'string' || existsSync(place);
}

/** The place as messages name it. */
export function placeText(place: LocalPlace): string {
  return typeof place === 'string' ? place : `tcp://${place.host}:${place.port}`;
}
