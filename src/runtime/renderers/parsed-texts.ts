/**
 * Texts that were read shortly before, and what they say: a thousand minions that ask for their pillar at the same time
 * mostly get the same files, and reading YAML is the largest part of it.
 */
import type { Clock } from '../../host/clock.ts';
import { copyValue, type Value } from '../../python/values/value.ts';

/** Characters that are kept, at most. What they say takes several times as much. */
const CHARACTERS_MAX = 256 * 1024;
/** Everything is forgotten after so long: pillar has secrets, and a master at rest is to be small. */
const KEPT_MS = 10_000;

/** Remembers for a moment. */
export class ParsedTexts {
  hits = 0;
  /** Undefined for a text that has come once: most never come again. */
  readonly #known = new Map<string, Value | undefined>();
  readonly #clock: Pick<Clock, 'after'>;
  #characters = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** What a text says; it belongs to whoever asks. @throws what `parse` throws */
  read(text: string, parse: (text: string) => Value): Value {
    const known = this.#known.get(text);
    if (known !== undefined) {
      this.hits++;
      return copyValue(known);
    }
    const value = parse(text);
    if (this.#known.has(text)) this.#known.set(text, copyValue(value));
    else this.#note(text);
    return value;
  }

  #note(text: string): void {
    if (this.#characters + text.length > CHARACTERS_MAX) return;
    if (this.#known.size === 0) this.#clock.after(KEPT_MS, () => this.#forget(), { background: true });
    this.#known.set(text, undefined);
    this.#characters += text.length;
  }

  #forget(): void {
    this.#known.clear();
    this.#characters = 0;
  }
}
