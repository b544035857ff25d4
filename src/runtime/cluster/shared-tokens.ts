/**
 * Tokens of log-ins, at home on every master: one that was given by any opens all, and one that is revoked on any opens
 * none. They are files in `token_dir`, as Salt's programs read and write them; what comes and goes there is told to the
 * others on a stream that forgets by age, because a token ends by itself. What was revoked stays so, whoever says it
 * again.
 *
 * The stream also keeps which one-time log-ins have been used.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';
import { watchFolder } from '../../host/watch-folder.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import type { StreamMessage } from '../../network/nats/reading.ts';
import { SubjectTakenError } from '../../network/nats/stream.ts';
import { dict, isBytes, isDict, toNumber } from '../../python/values/value.ts';
import { isToken } from '../../storage/tokens/token-store.ts';
import { GoneTokens } from './gone-tokens.ts';
import type { ClusterLink } from './link.ts';
import { displacedText } from './said-once.ts';
import type { ClusterSeal } from './seal.ts';

/** What a token stands for is some hundred bytes; one message takes more. */
const TOKEN_BYTES_MAX = 256 * 1024;
/**
 * Tokens that are told to the others; with more of them alive at once the rest opens only the master that has given it.
 */
const TOKENS_MAX = 100_000;
/** SHA-256 in hexadecimal. */
const DIGEST = /^[0-9a-f]{64}$/;
/** What stands behind the prefix in the subjects of tokens that were given, and of those that were revoked. */
const MADE = 'made';
const GONE = 'gone';
/** Appends under way at once. */
const UNDER_WAY_MAX = 16;

/** What they need. */
export interface SharedTokensDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly stream: string;
  readonly prefix: string;
  /** How many NATS servers keep each message. */
  readonly replicas: number;
  /** How long a token lives at most, and how long what was used is remembered, ms. */
  readonly lifeMs: number;
  /** `token_dir`; undefined where tokens are kept where all masters reach them. */
  readonly tokenDir: string | undefined;
  /** Where it is noted which tokens were here, a file for each. */
  readonly notesDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** See the head of this file. */
export class SharedTokens {
  readonly counters = { told: 0, taken: 0, revoked: 0, saidAgain: 0, leftOut: 0 };
  readonly #deps: SharedTokensDeps;
  /** What is revoked, by the token's digest. */
  readonly #gone: GoneTokens;
  /** Of which of those the stream says so. */
  readonly #saidGone = new BoundedMap<string, true>(TOKENS_MAX);
  /** Digests of tokens that were here, with the second in which each ends. */
  readonly #here = new Map<string, number>();
  /** Names of files to look at. */
  readonly #changed = new Set<string>();
  readonly #tellPutBack: RareLines;
  #underWay = 0;
  #reading: { stop(): Promise<void> } | undefined;
  #watcher: { close(): void } | undefined;

  constructor(deps: SharedTokensDeps) {
    this.#deps = deps;
    const { notesDir: folder, lifeMs, clock } = deps;
    this.#tellPutBack = rareLines(clock, (text) => deps.log.error(text));
    this.#gone = new GoneTokens({ folder, lifeMs, clock, most: TOKENS_MAX });
  }

  /** Makes the stream, takes what the others have said, says what has changed here meanwhile, and goes on with both. */
  async start(): Promise<void> {
    const { link, stream, prefix, replicas, lifeMs, tokenDir, notesDir } = this.#deps;
    await link.streams.ensure({
      name: stream,
      subjects: [`${prefix}.>`],
      replicas,
      maxAgeMs: lifeMs,
      perSubject: 1,
    });
    if (tokenDir === undefined) return;
    for (const folder of [tokenDir, notesDir]) makeDirectory(folder, 0o700);
    for (const name of readdirSync(notesDir)) if (DIGEST.test(name)) this.#here.set(name, Infinity);
    this.#gone.load();
    this.#reading = await link.streams.catchUp({ stream, subject: `${prefix}.>` }, 0, (message) =>
      this.#take(message),
    );
    // what was revoked here, and what the stream says no longer because somebody has put something else in its place
    for (const digest of this.#gone.digests())
      if (this.#saidGone.get(digest) !== true) this.#sayGoneAgain(digest, 0);
    this.#watcher = watchFolder(tokenDir, (name) => this.#note(name));
    this.#lookAtAll();
    link.onChange((isThere) => {
      if (isThere) this.#send();
    });
  }

  async stop(): Promise<void> {
    this.#watcher?.close();
    await this.#reading?.stop();
  }

  /**
   * Takes a name, once in the cluster.
   * @returns false when it was taken before
   * @throws when the cluster cannot be asked
   */
  async useOnce(name: string): Promise<boolean> {
    const { link, seal, prefix } = this.#deps;
    const data = seal.seal('token', dict({ used: name }));
    try {
      await link.streams.append(`${prefix}.used.${digestOf(name)}`, data, { after: 0 });
      return true;
    } catch (error) {
      if (error instanceof SubjectTakenError) return false;
      throw error;
    }
  }

  #note(name: string | undefined): void {
    if (name === undefined) return this.#lookAtAll();
    if (!isToken(name)) return;
    this.#changed.add(name);
    this.#send();
  }

  #lookAtAll(): void {
    const { tokenDir = '' } = this.#deps;
    const names = readdirSync(tokenDir).filter(isToken);
    for (const name of names) this.#changed.add(name);
    const present = new Set(names.map(digestOf));
    for (const digest of [...this.#here.keys()]) if (!present.has(digest)) void this.#tellGone(digest);
    this.#send();
  }

  #send(): void {
    for (const name of this.#changed) {
      if (!this.#deps.link.isThere || this.#underWay >= UNDER_WAY_MAX) return;
      this.#changed.delete(name);
      this.#underWay++;
      void this.#tell(name).finally(() => {
        this.#underWay--;
        if (this.#changed.size > 0) this.#send();
      });
    }
  }

  /** Says what has become of a file. */
  async #tell(name: string): Promise<void> {
    const { link, seal, prefix, log } = this.#deps;
    const digest = digestOf(name);
    const content = this.#read(name);
    if (content === undefined) return this.#tellGone(digest);
    const ends = endOf(content);
    if (this.#here.has(digest)) return void this.#here.set(digest, ends);
    // revoked on another master while this one could not know it
    if (this.#gone.has(digest)) return this.#remove(name);
    if (this.#isLeftOut(ends)) return;
    // before it is told, so that what comes back with the stream is known
    this.#here.set(digest, ends);
    try {
      const data = seal.seal('token', dict({ token: name, content }));
      await link.streams.append(`${prefix}.${MADE}.${digest}`, data);
      this.counters.told++;
      if (this.#here.has(digest)) this.#keepNote(digest);
    } catch (error) {
      this.#here.delete(digest);
      log.debug(`A token waits for the cluster: ${messageOf(error)}`);
      link.failed(messageOf(error));
      this.#changed.add(name);
    }
  }

  /** A token that was here is no more: revoked, unless its time is over. */
  async #tellGone(digest: string): Promise<void> {
    const { link, seal, prefix, clock, log, notesDir } = this.#deps;
    const ends = this.#here.get(digest);
    if (ends === undefined) return;
    if (ends >= clock.nowMs() / 1000 && !this.#gone.has(digest)) {
      try {
        await link.streams.append(`${prefix}.${GONE}.${digest}`, seal.seal('token', dict({ gone: digest })));
      } catch (error) {
        // the note stays, so that it is said when the cluster is back, or this master starts again
        log.debug(`A revoked token waits for the cluster: ${messageOf(error)}`);
        return link.failed(messageOf(error));
      }
      this.#gone.add(digest);
      this.counters.revoked++;
    }
    this.#here.delete(digest);
    rmSync(safeJoin(notesDir, digest), { force: true });
  }

  /** Says once more that a token was revoked. @param after the place of what stands there now, 0 for nothing */
  #sayGoneAgain(digest: string, after: number): void {
    const { link, seal, prefix, log } = this.#deps;
    this.counters.saidAgain++;
    this.#tellPutBack('', displacedText('a revoked token'));
    link.streams
      .append(`${prefix}.${GONE}.${digest}`, seal.seal('token', dict({ gone: digest })), { after })
      .catch(
        // another master was faster; or it is noted here, and said when this master starts again
        (error: unknown) => log.debug(`A revoked token was not told again: ${messageOf(error)}`),
      );
  }

  #take({ sequence, subject, data }: StreamMessage): void {
    const [kind = '', named = ''] = subject.slice(this.#deps.prefix.length + 1).split('.');
    const said = this.#deps.seal.open('token', data);
    const gone = said?.get('gone');
    if (kind === GONE) {
      if (typeof gone === 'string' && gone === named) this.#takeGone(gone);
      // the stream keeps one message of a subject: a recorded one has put out the one that says so
      else if (this.#gone.has(named)) this.#sayGoneAgain(named, sequence);
      return;
    }
    const token = said?.get('token');
    const content = said?.get('content');
    if (!isToken(token) || content === undefined || !isBytes(content)) return;
    const digest = digestOf(token);
    if (kind !== MADE || digest !== named) return;
    const bytes = Buffer.from(content);
    const ends = endOf(bytes);
    // what was here and is no more was revoked here, and that is being said
    if (this.#gone.has(digest) || this.#here.has(digest) || this.#isLeftOut(ends)) return;
    try {
      this.#here.set(digest, ends);
      this.#keepNote(digest);
      writeFileAtomic(safeJoin(this.#deps.tokenDir ?? '', token), bytes, { mode: 0o600, durable: true });
      this.counters.taken++;
    } catch (error) {
      this.#deps.log.error(`A token of another master could not be written: ${messageOf(error)}`);
    }
  }

  #takeGone(digest: string): void {
    const { tokenDir = '', notesDir } = this.#deps;
    if (!DIGEST.test(digest)) return;
    this.#gone.add(digest);
    this.#saidGone.set(digest, true);
    for (const name of readdirSync(tokenDir))
      if (isToken(name) && digestOf(name) === digest) this.#remove(name);
    this.#here.delete(digest);
    rmSync(safeJoin(notesDir, digest), { force: true });
  }

  #remove(name: string): void {
    rmSync(safeJoin(this.#deps.tokenDir ?? '', name), { force: true });
  }

  #read(name: string): Buffer | undefined {
    const path = safeJoin(this.#deps.tokenDir ?? '', name);
    try {
      return statSync(path).size > TOKEN_BYTES_MAX ? undefined : readFileSync(path);
    } catch {
      return undefined;
    }
  }

  /**
   * Those that have ended; and, counted, too many, and those that live longer than the stream remembers what was
   * revoked.
   */
  #isLeftOut(ends: number): boolean {
    const { clock, lifeMs } = this.#deps;
    const leftMs = ends * 1000 - clock.nowMs();
    if (leftMs < 0) return true;
    if (this.#here.size < TOKENS_MAX && leftMs <= lifeMs) return false;
    this.counters.leftOut++;
    return true;
  }

  #keepNote(digest: string): void {
    writeFileAtomic(safeJoin(this.#deps.notesDir, digest), '', { mode: 0o600, durable: true });
  }
}

/** A token is as good as a password: in names of subjects and files stands its digest. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The second in which a token ends; one that cannot be read has ended. */
function endOf(content: Buffer): number {
  try {
    const data = decode(content, 'local');
    return isDict(data) ? (toNumber(data.get('expire') ?? null) ?? -Infinity) : -Infinity;
  } catch {
    return -Infinity;
  }
}
