/**
 * `script`: runs a command over and over, and fires an event for each line that it prints (salt/engines/script.py,
 * 3006.16).
 */
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { messageOf } from '../../errors/errors.ts';
import { eventJson } from '../shared/engine/event-json.ts';
import { parseJson } from '../../formats/json/parse.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { startPiped } from '../../host/piped-process.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { splitWords } from '../../python/shell-words.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineEngine, EngineRefusal, type EngineContext } from '../shared/engine/engine.ts';

/** Tags whose last data `onchange` remembers. */
const REMEMBERED_MAX = 10_000;
/** A longer line is no event. */
const LINE_CHARS_MAX = 1024 * 1024;

const READERS: ReadonlyMap<string, (text: string) => Value> = new Map([
  ['json', parseJson],
  ['yaml', (text: string) => loadYaml(text)],
]);

/** The engine. */
export const scriptEngine = defineEngine({
  name: 'script',
  doc: 'Runs a command, again and again, and fires an event for each line of its output: `{"tag": …, "data": {…}}`.',
  params: {
    cmd: param.text({ doc: 'The command with its arguments; no shell is asked.' }),
    output: param.text({ default: 'json', doc: 'How a line is read: json or yaml.' }),
    interval: {
      default: 1,
      type: 'number',
      doc: 'Seconds between the end of the command and its next start.',
      read: (value: Value) => Number(pyStr(value)),
    },
    onchange: param.flag({ default: false, doc: 'Fire only when the data of a tag is another than before.' }),
  },
  start: async (ctx, { cmd, output, interval, onchange }) => {
    const read = READERS.get(output);
    if (read === undefined)
      throw new EngineRefusal(`there is no output ${output}; there are ${[...READERS.keys()].join(', ')}`);
    if (!(interval >= 0)) throw new EngineRefusal('interval is no number of seconds');
    const argv = splitWords(cmd);
    if (argv.length === 0) throw new EngineRefusal('cmd is empty');
    const lines = new EventLines(ctx, read, onchange);
    while (!ctx.signal.aborted) {
      await runOnce(argv, ctx, lines);
      await ctx.clock.sleep(interval * 1000, ctx.signal);
    }
  },
});

async function runOnce(
  argv: readonly string[],
  { log, signal }: EngineContext,
  lines: EventLines,
): Promise<void> {
  const child = await startPiped(argv);
  const end = (): void => child.kill();
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.all([lines.take(child.stdout), lines.take(child.stderr)]);
    const code = await child.exited;
    if (code !== 0) log.error(`The command ${argv[0]} of the script engine ended with ${code}.`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Lines of output as events. */
class EventLines {
  readonly #ctx: EngineContext;
  readonly #read: (text: string) => Value;
  readonly #seen: BoundedMap<string, string> | undefined;

  constructor(ctx: EngineContext, read: (text: string) => Value, onChange: boolean) {
    this.#ctx = ctx;
    this.#read = read;
    this.#seen = onChange ? new BoundedMap(REMEMBERED_MAX) : undefined;
  }

  async take(stream: Readable): Promise<void> {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity }))
      if (line.trim() !== '') await this.#line(line);
  }

  async #line(line: string): Promise<void> {
    const { log } = this.#ctx;
    const event = this.#parse(line);
    // Salt compat: there one line that cannot be read ends the engine, which then begins anew
    if (event === undefined)
      return log.error(`The script engine cannot read a line as an event: ${line.slice(0, 200)}`);
    if (event.tag === '' || this.#isOld(event)) return;
    log.info(`script engine firing event with tag ${event.tag}`);
    await this.#ctx.fire(event.tag, event.data);
  }

  #parse(line: string): { readonly tag: string; readonly data: Dict } | undefined {
    try {
      const value = line.length > LINE_CHARS_MAX ? null : this.#read(line);
      if (!isDict(value)) return undefined;
      const tag = value.get('tag') ?? '';
      const data = value.get('data') ?? new Map<Value, Value>();
      if (!isDict(data)) return undefined;
      if (data.size > 0 && !data.has('id')) data.set('id', this.#ctx.id);
      return { tag: truthy(tag) ? pyStr(tag) : '', data };
    } catch (error) {
      this.#ctx.log.debug(`Not readable: ${messageOf(error)}`);
      return undefined;
    }
  }

  #isOld({ tag, data }: { readonly tag: string; readonly data: Dict }): boolean {
    if (this.#seen === undefined) return false;
    const text = eventJson(data);
    if (this.#seen.get(tag) === text) return true;
    this.#seen.set(tag, text);
    return false;
  }
}
