/** The gpg renderer: OpenPGP messages in texts become what was encrypted (3006.16 salt/renderers/gpg.py). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { runGpg, type GpgEnded } from '../../host/gpg.ts';
import type { Logger } from '../../host/log.ts';
import { findProgram } from '../../host/which.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isDict, toNumber, truthy, type Value } from '../../python/values/value.ts';
import { SaltRenderError, type RenderContext, type Renderer } from './renderer.ts';
import { refuseIfSent, visitTexts } from './sent-by-minion.ts';

/** In text whose characters stand for bytes. */
const MESSAGE = /-----BEGIN PGP MESSAGE-----[^]*?-----END PGP MESSAGE-----/g;
/** Programs that run at a time for one file. */
const AT_ONCE = 4;
/** A key that asks for a passphrase that no agent knows must not keep the pillar waiting. */
const TIMEOUT_MS = 30_000;
const SECRET_BYTES_MAX = 16 * 1024 * 1024;
/** Decrypted values that are kept at most with `gpg_cache`; the one used longest ago goes. */
const REMEMBERED_MAX = 10_000;

/** What the renderer works with. */
interface GpgDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

interface Remembered {
  readonly secret: string;
  readonly untilMs: number;
}

/**
 * Makes the gpg renderer. It takes texts and data; in data the values are decrypted, not the keys.
 *
 * Salt compat: with `gpg_cache` secrets are remembered in memory only, where Salt writes them to the disk; a program
 * that would ask for a passphrase fails instead of waiting; what a minion has sent itself (grains, an override of its
 * pillar) is not decrypted for it.
 */
export function gpgRenderer(deps: GpgDeps): Renderer {
  const remembered = new BoundedMap<string, Remembered>(REMEMBERED_MAX);
  return {
    name: 'gpg',
    async render(input, context) {
      const program = findProgram('gpg');
      if (program === undefined)
        throw new SaltRenderError('GPG unavailable: the program gpg is not installed');
      const messages = new Set<string>();
      visitTexts(input, (text) => {
        for (const [message] of text.matchAll(MESSAGE)) messages.add(message);
      });
      if (messages.size === 0) return input;
      const decryption = new Decryption(deps, { program, context, remembered });
      return replaced(input, await decryption.all([...messages]));
    },
  };
}

/** The decryption of one file's messages. */
class Decryption {
  readonly #deps: GpgDeps;
  readonly #program: string;
  readonly #context: RenderContext;
  readonly #remembered: BoundedMap<string, Remembered>;

  constructor(
    deps: GpgDeps,
    use: { program: string; context: RenderContext; remembered: BoundedMap<string, Remembered> },
  ) {
    this.#deps = deps;
    this.#program = use.program;
    this.#context = use.context;
    this.#remembered = use.remembered;
  }

  /** @returns each message with what stands in its place */
  async all(messages: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const out = new Map<string, string>();
    const left = [...messages];
    const work = async (): Promise<void> => {
      for (let message = left.shift(); message !== undefined; message = left.shift())
        out.set(message, await this.#one(message));
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, messages.length) }, work));
    return out;
  }

  async #one(message: string): Promise<string> {
    const armored = message.replaceAll('\\n', '\n');
    refuseIfSent(armored.replace(/-----[^\n]*-----/g, '').replace(/\s+/g, ''), this.#context);
    const folder = this.#keyFolder();
    const lifeMs = truthy(this.#opt('gpg_cache')) ? (toNumber(this.#opt('gpg_cache_ttl')) ?? 0) * 1000 : 0;
    const name = createHash('sha256').update(`${folder}\0${armored}`, 'latin1').digest('base64');
    const known = this.#remembered.get(name);
    if (lifeMs > 0 && known !== undefined && known.untilMs > this.#deps.clock.monotonicMs())
      return known.secret;
    const { secret, fault } = await this.#run(folder, armored);
    if (secret !== undefined) {
      if (lifeMs > 0)
        this.#remembered.set(name, { secret, untilMs: this.#deps.clock.monotonicMs() + lifeMs });
      return secret;
    }
    const sentence = `Could not decrypt cipher ${pyRepr(Buffer.from(armored, 'latin1'))}, received: ${fault}`;
    if (this.#opt('gpg_decrypt_must_succeed') !== false) throw new SaltRenderError(sentence);
    this.#deps.log.warning(sentence);
    return armored;
  }

  async #run(
    folder: string,
    armored: string,
  ): Promise<{ secret: string; fault?: never } | { secret?: undefined; fault: string }> {
    let result: GpgEnded;
    try {
      result = await runGpg({
        program: this.#program,
        homedir: folder,
        args: ['-d'],
        input: Buffer.from(armored, 'latin1'),
        timeoutMs: TIMEOUT_MS,
        outputLimitBytes: SECRET_BYTES_MAX,
        clock: this.#deps.clock,
      });
    } catch (error) {
      return { fault: messageOf(error) };
    }
    const { stdout, stderr, statuses, timedOut, droppedBytes } = result;
    if (timedOut) return { fault: `no answer of gpg within ${TIMEOUT_MS / 1000} seconds` };
    if (droppedBytes > 0) return { fault: `more than ${SECRET_BYTES_MAX} bytes` };
    // the exit code is not 0 either when a signature beside the secret is by an unknown key
    if (!statuses.some(({ keyword }) => keyword === 'DECRYPTION_OKAY')) return { fault: pyRepr(stderr) };
    return { secret: stdout.toString('latin1') };
  }

  #keyFolder(): string {
    const given = this.#opt('gpg_keydir');
    if (typeof given === 'string' && given !== '') return given;
    return join(String(this.#opt('config_dir') ?? '/etc/salt'), 'gpgkeys');
  }

  #opt(name: string): Value {
    return this.#context.opt(name) ?? null;
  }
}

/** A copy with the messages replaced. Line ends behind a text that had one go, as multi-line YAML leaves one there. */
function replaced(value: Value, secrets: ReadonlyMap<string, string>): Value {
  if (Array.isArray(value)) return value.map((item) => replaced(item, secrets));
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, replaced(item, secrets)]));
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return value;
  const bytes = (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)).toString('latin1');
  if (bytes.search(MESSAGE) < 0) return value;
  const text = bytes.replace(MESSAGE, (message) => secrets.get(message) ?? message).replace(/\n+$/, '');
  const out = Buffer.from(text, 'latin1');
  return decodeUtf8(out) ?? out;
}
