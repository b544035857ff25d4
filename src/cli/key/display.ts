/** How `salt-key` shows what it found. */
import type { Logger } from '../../host/log.ts';
import { sectionName, type KeyIds, type KeySection, type KeyTexts } from '../../storage/keys/manager.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { Display } from '../terminal/display.ts';
import type { CommandIo } from '../terminal/io.ts';
import { visible } from '../../python/values/visible.ts';

/** Shows values in the outputter that the user chose, `key` by default. */
export class KeyDisplay extends Display {
  /** @param opts the configuration with the command line laid over it */
  constructor(opts: Dict, io: CommandIo, log: Logger) {
    super(opts, io, log, '');
  }

  /**
   * Shows keys by state. On a terminal, ids that can look like another one are shown with what they are made of and
   * with their fingerprints, which tell them apart.
   * @param fingerprintOf the fingerprint of a key by its state and id
   */
  async keys(
    found: KeyIds | KeyTexts,
    fingerprintOf: (section: KeySection, id: string) => string | undefined = () => undefined,
  ): Promise<void> {
    const isTerminal = this.io.stdout.isTTY === true && (this.chosen ?? 'key') === 'key';
    const label = (section: KeySection, id: string): string =>
      isTerminal && canDeceive(id) ? unmistakable(id, fingerprintOf(section, id)) : id;
    const sections = [...found].map(([section, content]): [Value, Value] => [
      sectionName(section),
      Array.isArray(content)
        ? content.map((id) => label(section, id))
        : new Map<Value, Value>([...content].map(([id, text]) => [label(section, id), text])),
    ]);
    await this.value(new Map(sections), 'key');
  }

  /** Shows the result of making something. */
  async result(value: Value): Promise<void> {
    await this.value(new Map([['return', value]]), 'key');
  }

  /**
   * Writes a line of our own, whatever the outputter. Control characters in ids are none outside of terminals either.
   */
  override line(text: string): void {
    super.line(this.io.stdout.isTTY === true ? visible(text) : printable(text));
  }
}

/** True for ids with anything but ASCII's letters, digits and signs: others look like these, or like nothing. */
function canDeceive(id: string): boolean {
  return !/^[\x21-\x7e]+$/.test(id);
}

/** An id as it looks, the characters that can deceive as numbers, and the key's fingerprint. */
function unmistakable(id: string, fingerprint: string | undefined): string {
  const spelt = id.replace(/[^\x21-\x7e]/gu, (char) => `<U+${codePoint(char)}>`);
  return `${id}  (spelt ${spelt}${fingerprint === undefined ? '' : `, fingerprint ${fingerprint}`})`;
}

function codePoint(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** A text in which control characters are question marks. */
function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
}
