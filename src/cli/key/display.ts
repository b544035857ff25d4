/** How `salt-key` shows what it found. */
import { appendFileSync } from 'node:fs';
import type { Logger } from '../../host/log.ts';
import { sectionName, type KeyIds, type KeyTexts } from '../../keys/manager.ts';
import { outputOptions } from '../../outputters/options.ts';
import { chooseOutputter, displayOutput } from '../../outputters/registry.ts';
import type { Dict, Value } from '../../values/value.ts';
import type { CommandIo } from '../io.ts';
import { wantsColor } from '../terminal.ts';

/** Shows values in the outputter that the user chose, on standard output or in the output file. */
export class KeyDisplay {
  readonly #opts: Dict;
  readonly #io: CommandIo;
  readonly #log: Logger;

  /** @param opts the configuration with the command line laid over it */
  constructor(opts: Dict, io: CommandIo, log: Logger) {
    this.#opts = opts;
    this.#io = io;
    this.#log = log;
  }

  /** Shows keys by state. */
  async keys(found: KeyIds | KeyTexts): Promise<void> {
    const sections = [...found].map(([section, content]): [Value, Value] => [
      sectionName(section),
      Array.isArray(content) ? content : new Map<Value, Value>(content),
    ]);
    await this.#show(new Map(sections));
  }

  /** Shows the result of making something. */
  async result(value: Value): Promise<void> {
    await this.#show(new Map([['return', value]]));
  }

  /** Writes a line of our own, whatever the outputter. Control characters in ids cannot steer the terminal. */
  line(text: string): void {
    this.#io.stdout.write(`${printable(text)}\n`);
  }

  async #show(data: Dict): Promise<void> {
    const output = this.#opts.get('output');
    const name = chooseOutputter('key', typeof output === 'string' ? { output } : {});
    const color = wantsColor(
      {
        force: this.#opts.get('force_color') === true,
        none: this.#opts.get('no_color') === true,
        configured: this.#opts.get('color'),
      },
      this.#io.stdout,
      this.#io.env,
    );
    const report = (message: string): void => this.#log.error(message);
    const text = await displayOutput(data, name, outputOptions(this.#opts, { color }), report);
    if (text === '') return;
    const file = this.#opts.get('output_file');
    if (typeof file === 'string' && file !== '') appendFileSync(file, `${text}\n`);
    else this.#io.stdout.write(`${text}\n`);
  }
}

/** A text in which control characters are question marks. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
}
