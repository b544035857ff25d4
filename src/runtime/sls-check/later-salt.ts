/** Releases of Salt that a site may go to, and the parts that they no longer have. */
import { GONE_IN_3008, type GoneKind } from './gone-in-3008.ts';

/** A release of Salt, and the parts that it no longer has. */
export interface LaterSalt {
  readonly name: string;
  readonly gone: Readonly<Record<GoneKind, ReadonlySet<string>>>;
}

/** The releases that `--instead-of` knows. */
const LATER_SALTS: readonly LaterSalt[] = [{ name: '3008', gone: GONE_IN_3008 }];

/** The release of this name; undefined for none. */
export function laterSalt(release: string): LaterSalt | undefined {
  return LATER_SALTS.find(({ name }) => name === release);
}

/** A part that a later Salt no longer has. */
export interface GonePart {
  readonly kind: GoneKind;
  readonly name: string;
  readonly isInBrine: boolean;
}

/** The part of this name, when the later Salt no longer has it. @param isInBrine whether it is here */
export function goneFrom(
  later: LaterSalt | undefined,
  kind: GoneKind,
  name: string,
  isInBrine: boolean,
): GonePart | undefined {
  return later?.gone[kind].has(name) === true ? { kind, name, isInBrine } : undefined;
}

/** A sentence about a part that went. */
export function goneText(later: LaterSalt | undefined, { kind, name, isInBrine }: GonePart): string {
  const has = isInBrine ? 'Brine has it' : 'Brine does not have it either';
  return `Salt ${later?.name ?? ''} no longer has the ${GONE_TITLES[kind]} '${name}'; ${has}.`;
}

/** A kind of parts, as sentences call one. */
export const GONE_TITLES: Readonly<Record<GoneKind, string>> = {
  states: 'state module',
  modules: 'execution module',
  runners: 'runner',
  renderers: 'renderer',
  returners: 'returner',
  pillars: 'external pillar',
  beacons: 'beacon',
  engines: 'engine',
  sdb: 'sdb driver',
  auths: 'authentication system',
  backends: 'backend of the file server',
  queues: 'backend of queues',
};
