/** Custom outputters (`_output`, `outputter_dirs`): they run in a process apart, which ends with what it shows. */
import { messageOf } from '../../errors/errors.ts';
import { extensionFiles, pythonFiles } from '../../runtime/extensions/folder.ts';
import { ExtensionHost } from '../../runtime/extensions/host-process.ts';
import { given, describeSingles, serveSingles, type OwnSingle } from '../../runtime/extensions/singles.ts';
import { openPythonSingles, type PythonSingles } from '../../runtime/extensions/python-singles.ts';
import { pyStr } from '../../python/values/repr.ts';
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** Time for an outputter to make its text, in milliseconds. */
const RENDER_MS = 15_000;

/** Shows returns with custom outputters, in a process apart. */
export class OwnOutputters {
  readonly #opts: Dict;
  readonly #log: Logger;
  readonly #host: ExtensionHost;
  #known: Promise<ReadonlyMap<string, OwnSingle>> | undefined;
  #python: Promise<PythonSingles> | undefined;

  constructor(opts: Dict, log: Logger) {
    this.#opts = opts;
    this.#log = log;
    const call = (): never => {
      throw new Error('an outputter calls no functions');
    };
    this.#host = new ExtensionHost(systemClock, { answerMs: RENDER_MS, serve: serveSingles(log, call) });
  }

  /**
   * Shows data with a custom outputter.
   * @returns its text, or `failed`, which is logged; undefined when there is no such outputter
   */
  async render(
    name: string,
    data: Value,
    color: boolean,
  ): Promise<{ readonly text: string } | 'failed' | undefined> {
    const own = (await (this.#known ??= this.#describe())).get(name);
    if (own === undefined) {
      const inPython = await this.#inPython(name, data, color);
      if (inPython !== undefined) return inPython;
      if (!extensionFiles(this.#opts, 'output').some((file) => file.name === name)) return undefined;
      this.#log.error(`The outputter ${name} cannot be used here, nested is used`);
      return 'failed';
    }
    try {
      const text = await given(this.#host.asks.output({ path: own.path, data, color }));
      return { text: text.trimEnd() };
    } catch (error) {
      this.#log.error(`The outputter ${name} failed, nested is used: ${messageOf(error)}`);
      return 'failed';
    }
  }

  async #inPython(
    name: string,
    data: Value,
    color: boolean,
  ): Promise<{ readonly text: string } | 'failed' | undefined> {
    if (!pythonFiles(this.#opts, 'output').some((one) => one.file === name || one.name === name))
      return undefined;
    const context = { opts: this.#opts, grains: new Map<Value, Value>() };
    const parts = { clock: systemClock, log: this.#log };
    const { found } = await (this.#python ??= openPythonSingles('output', context, parts));
    const own = found.get(name);
    try {
      if (own === undefined) throw new Error('it is not available here');
      const opts: Dict = new Map(this.#opts).set('color', color);
      const text = await own.call('output', [data], new Map(), opts);
      return { text: pyStr(text).trimEnd() };
    } catch (error) {
      this.#log.error(`The outputter ${name} failed, nested is used: ${messageOf(error)}`);
      return 'failed';
    }
  }

  #describe(): Promise<ReadonlyMap<string, OwnSingle>> {
    const report = (fault: string): void => this.#log.error(fault);
    const parts = { opts: this.#opts, grains: new Map<Value, Value>(), clock: systemClock, report };
    return describeSingles(parts, 'output');
  }
}
