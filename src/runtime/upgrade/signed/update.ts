/**
 * Which artefacts there are, as far as it can be relied on: the steps of The Update Framework 1.0 (5.3 to 5.6). What
 * was seen once is remembered, so that nobody can hand out what is older (roll-back), keep handing out the same
 * (freeze, because it expires) or put together what does not belong together (mix and match).
 */
import { createHash } from 'node:crypto';
import {
  factsOf,
  readMetadata,
  readRoot,
  requireFresh,
  requireSigned,
  targetsOf,
  UntrustedError,
  type FileFacts,
  type Metadata,
  type ReleaseTarget,
  type Role,
  type Root,
  type Signers,
} from './metadata.ts';

/** Further roots in one go; more of them come with the next. */
const ROOTS_MAX = 32;
/** A file of metadata is never larger. */
export const METADATA_BYTES_MAX = 1024 * 1024;

/** What is remembered of a place of releases. */
export interface Trust {
  /** The newest root. */
  root: string;
  timestamp: string | undefined;
  snapshot: string | undefined;
  targets: string | undefined;
}

/** What the steps need. */
export interface UpdateDeps {
  /** A file of metadata, in a place that may be anybody's; undefined where there is none. */
  readonly fetch: (name: string) => Promise<string | undefined>;
  readonly nowMs: number;
  /** Told of what is trusted from now on, after each step: it has to outlive a failure of power. */
  readonly keep: (trust: Trust) => void;
}

/**
 * Brings what is trusted up to date.
 * @param trust what was trusted before; it is changed
 * @returns the artefacts
 * @throws UntrustedError that says what cannot be relied on, and why
 */
export async function update(trust: Trust, deps: UpdateDeps): Promise<ReleaseTarget[]> {
  const root = await updateRoot(trust, deps);
  const timestamp = await updateTimestamp(trust, root, deps);
  const snapshot = await updateSnapshot(trust, root, timestamp, deps);
  const targets = await updateTargets(trust, root, snapshot, deps);
  return targetsOf(targets, 'targets.json');
}

async function updateRoot(trust: Trust, { fetch, nowMs, keep }: UpdateDeps): Promise<Root> {
  let root = readRoot(trust.root, 'the root of trust');
  for (let count = 0; count < ROOTS_MAX; count++) {
    const name = `${root.version + 1}.root.json`;
    const text = await fetch(name);
    if (text === undefined) break;
    const next = readRoot(text, name);
    requireSigned(next, of(root, 'root'), name);
    requireSigned(next, of(next, 'root'), name);
    if (next.version !== root.version + 1)
      throw new UntrustedError(`${name} says of itself that it is version ${next.version}.`);
    // those who have the old keys may have said that they were at a version that none reaches
    if (areOthers(root, next, ['timestamp', 'snapshot'])) {
      trust.timestamp = undefined;
      trust.snapshot = undefined;
    }
    if (areOthers(root, next, ['targets'])) trust.targets = undefined;
    trust.root = text;
    keep(trust);
    root = next;
  }
  requireFresh(root, nowMs, `The root of trust (version ${root.version})`);
  return root;
}

async function updateTimestamp(
  trust: Trust,
  root: Root,
  { fetch, nowMs, keep }: UpdateDeps,
): Promise<Metadata> {
  const name = 'timestamp.json';
  const text = await required(fetch, name);
  const found = readMetadata(text, 'timestamp', name);
  requireSigned(found, of(root, 'timestamp'), name);
  const before = known(trust.timestamp, root, 'timestamp');
  if (before !== undefined) {
    requireNotOlder(found.version, before.version, name);
    const [now, then] = [found, before].map((each) => factsOf(each, 'snapshot.json', name).version);
    requireNotOlder(now as number, then as number, 'The snapshot in timestamp.json');
  }
  requireFresh(found, nowMs, name);
  trust.timestamp = text;
  keep(trust);
  return found;
}

async function updateSnapshot(
  trust: Trust,
  root: Root,
  timestamp: Metadata,
  { fetch, nowMs, keep }: UpdateDeps,
): Promise<Metadata> {
  const facts = factsOf(timestamp, 'snapshot.json', 'timestamp.json');
  const name = `${facts.version}.snapshot.json`;
  const text = await required(fetch, name);
  requireFacts(text, facts, name);
  const found = readMetadata(text, 'snapshot', name);
  requireSigned(found, of(root, 'snapshot'), name);
  requireVersion(found, facts, name);
  const before = known(trust.snapshot, root, 'snapshot');
  if (before !== undefined) {
    const [now, then] = [found, before].map((each) => factsOf(each, 'targets.json', name).version);
    requireNotOlder(now as number, then as number, `The list of releases in ${name}`);
  }
  requireFresh(found, nowMs, name);
  trust.snapshot = text;
  keep(trust);
  return found;
}

async function updateTargets(
  trust: Trust,
  root: Root,
  snapshot: Metadata,
  { fetch, nowMs, keep }: UpdateDeps,
): Promise<Metadata> {
  const facts = factsOf(snapshot, 'targets.json', 'snapshot.json');
  const name = `${facts.version}.targets.json`;
  const text = await required(fetch, name);
  requireFacts(text, facts, name);
  const found = readMetadata(text, 'targets', name);
  requireSigned(found, of(root, 'targets'), name);
  requireVersion(found, facts, name);
  const before = known(trust.targets, root, 'targets');
  if (before !== undefined) requireNotOlder(found.version, before.version, name);
  requireFresh(found, nowMs, name);
  trust.targets = text;
  keep(trust);
  return found;
}

/** What was trusted before, if the keys of today still say so. */
function known(text: string | undefined, root: Root, role: Role): Metadata | undefined {
  if (text === undefined) return undefined;
  try {
    const found = readMetadata(text, role, role);
    requireSigned(found, of(root, role), role);
    return found;
  } catch {
    return undefined;
  }
}

async function required(fetch: UpdateDeps['fetch'], name: string): Promise<string> {
  const text = await fetch(name);
  if (text === undefined) throw new UntrustedError(`${name} is not there.`);
  return text;
}

function of(root: Root, role: Role): Signers {
  const signers = root.signers.get(role);
  if (signers === undefined) throw new UntrustedError(`The root of trust does not say who signs ${role}.`);
  return signers;
}

function areOthers(before: Root, after: Root, roles: readonly Role[]): boolean {
  const ids = (root: Root, role: Role): string =>
    of(root, role)
      .keys.map(({ id }) => id)
      .sort()
      .join();
  return roles.some((role) => ids(before, role) !== ids(after, role));
}

function requireNotOlder(version: number, before: number, what: string): void {
  if (version < before)
    throw new UntrustedError(
      `${what} is version ${version}, and version ${before} was seen on this machine already: somebody hands out what is old.`,
    );
}

function requireVersion(found: Metadata, { version }: FileFacts, what: string): void {
  if (found.version !== version)
    throw new UntrustedError(
      `${what} says of itself that it is version ${found.version}, and is to be ${version}.`,
    );
}

function requireFacts(text: string, { length, sha256 }: FileFacts, what: string): void {
  const bytes = Buffer.from(text);
  if (length !== undefined && bytes.length !== length)
    throw new UntrustedError(`${what} has ${bytes.length} bytes, and is to have ${length}.`);
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new UntrustedError(`${what} is not the file that was signed.`);
}
