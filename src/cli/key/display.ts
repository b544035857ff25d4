/** How `salt-key` shows what it found. */
import type { Logger } from '../../host/log.ts';
import { sectionName, type KeyIds, type KeyTexts } from '../../keys/manager.ts';
import type { Dict, Value } from '../../values/value.ts';
import { Display } from '../display.ts';
import type { CommandIo } from '../io.ts';

/** Shows values in the outputter that the user chose, `key` by default. */
export class KeyDisplay extends Display {
  /** @param opts the configuration with the command line laid over it */
  constructor(opts: Dict, io: CommandIo, log: Logger) {
    super(opts, io, log, '');
  }

  /** Shows keys by state. */
  async keys(found: KeyIds | KeyTexts): Promise<void> {
    const sections = [...found].map(([section, content]): [Value, Value] => [
      sectionName(section),
      Array.isArray(content) ? content : new Map<Value, Value>(content),
    ]);
    await this.value(new Map(sections), 'key');
  }

  /** Shows the result of making something. */
  async result(value: Value): Promise<void> {
    await this.value(new Map([['return', value]]), 'key');
  }

  /** Writes a line of our own, whatever the outputter. Control characters in ids cannot steer the terminal. */
  override line(text: string): void {
    super.line(printable(text));
  }
}

/** A text in which control characters are question marks. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
}
