/** Showing values in the outputter that the user chose, on standard output or in the output file. */
import type { ErrorCode } from '../../errors/codes.ts';
import { appendFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { notPermitted } from '../../host/not-permitted.ts';
import { diskRefusal } from '../../host/disk-refusal.ts';
import { hasExtensions } from '../../runtime/extensions/folder.ts';
import type { Logger } from '../../host/log.ts';
import { outputOptions } from '../../plugins/outputters/options.ts';
import type { OutputOptions } from '../../plugins/outputters/outputter.ts';
import { chooseOutputter, displayOutput } from '../../plugins/outputters/registry.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { type CommandIo, writeStyled } from './io.ts';
import { visibleButColors, visibleValue } from '../../python/values/visible.ts';
import type { OwnOutputters } from './own-outputters.ts';
import { wantsColor } from './terminal.ts';

/** Outputters whose text programs read; they escape, so that their data are left alone even on a terminal. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['json', 'yaml', 'raw', 'pprint']);

/** One program's output. */
export class Display {
  readonly io: CommandIo;
  readonly #opts: Dict;
  readonly #log: Logger;
  readonly #fun: string;
  #options: Promise<OutputOptions> | undefined;
  #hasOwn: boolean | undefined;
  #own: Promise<OwnOutputters> | undefined;

  /**
   * @param opts the configuration with the command line laid over it
   * @param fun the function whose returns are shown; `state.…` ones have an outputter of their own
   */
  constructor(opts: Dict, io: CommandIo, log: Logger, fun: string) {
    this.io = io;
    this.#opts = opts;
    this.#log = log;
    this.#fun = fun;
  }

  /** The outputter that `--out` or the configuration names; undefined when none does. */
  get chosen(): string | undefined {
    const output = this.#opts.get('output');
    return typeof output === 'string' && output !== '' ? output : undefined;
  }

  /**
   * Shows a value.
   * @param hint the outputter that came with the return
   * @param retcode nested shows its keys in red when it is not 0
   */
  async value(data: Value, hint?: string, retcode = 0): Promise<void> {
    const name = chooseOutputter(hint, {
      output: this.chosen,
      isStatic: this.#opts.get('static') === true,
      fun: this.#fun,
    });
    const options = { ...(await (this.#options ??= this.#readOptions())), retcode };
    const file = this.#opts.get('output_file');
    const isFile = typeof file === 'string' && file !== '';
    const isGuarded = !isFile && this.io.stdout.isTTY === true && !FOR_PROGRAMS.has(name);
    const shown = isGuarded ? visibleValue(data, options.stripColors === false) : data;
    const text = await this.#text(name, shown, options);
    if (text === '') return;
    if (isFile) {
      appendOutput(file, `${text}\n`);
      this.io.failures?.sawOutput();
    } else if (isGuarded) writeStyled(this.io.stdout, `${visibleButColors(text)}\n`);
    else this.io.stdout.write(`${text}\n`);
  }

  async #text(name: string, data: Value, options: OutputOptions): Promise<string> {
    const own = await this.#ownText(name, data, options.color);
    const report = (message: string): void => this.#log.error(message);
    return own === undefined || own === 'failed'
      ? displayOutput(data, own === undefined ? name : 'nested', options, report)
      : own.text;
  }

  /** What a custom outputter makes; undefined when there is none, and then nothing was loaded for it. */
  async #ownText(
    name: string,
    data: Value,
    color: boolean,
  ): Promise<{ readonly text: string } | 'failed' | undefined> {
    this.#hasOwn ??= hasExtensions(this.#opts, 'output');
    if (!this.#hasOwn) return undefined;
    this.#own ??= import('./own-outputters.ts').then(
      ({ OwnOutputters: Own }) => new Own(this.#opts, this.#log),
    );
    return (await this.#own).render(name, data, color);
  }

  /** What outputters look at, read once for all values. */
  async #readOptions(): Promise<OutputOptions> {
    const color = wantsColor(
      {
        force: this.#opts.get('force_color') === true,
        none: this.#opts.get('no_color') === true,
        configured: this.#opts.get('color'),
      },
      this.io.stdout,
      this.io.env,
    );
    const colorTheme = color ? await this.#colorTheme() : undefined;
    return outputOptions(this.#opts, { color, ...(colorTheme === undefined ? {} : { colorTheme }) });
  }

  /** The file that `color_theme` names. */
  async #colorTheme(): Promise<ReadonlyMap<string, string> | undefined> {
    const path = this.#opts.get('color_theme');
    if (typeof path !== 'string' || path === '') return undefined;
    const { readColorTheme } = await import('./color-theme.ts');
    return readColorTheme(path, this.#log);
  }

  /** Writes a line of our own, whatever the outputter. */
  line(text: string): void {
    this.io.stdout.write(`${text}\n`);
  }

  /** Writes a line on standard error. */
  error(text: string): void {
    this.io.stderr.write(`${text}\n`);
  }
}

/** The output file named by `--out-file` cannot be written. */
export class OutputFileError extends BrineError {
  static override readonly errorCode: ErrorCode = 'output-file-not-writable';
  override readonly name = 'OutputFileError';
  override readonly exitCode = 73;

  constructor(path: string, cause: unknown) {
    const refusal =
      diskRefusal(cause, path)?.message ??
      `${path} cannot be written: ${notPermitted(cause)?.message ?? reasonOf(cause, path)}`;
    super(`The output file ${refusal}`, { cause });
  }
}

/** What an errno means for a file that was named on the command line. */
function reasonOf(cause: unknown, path: string): string {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'ENOENT':
      return `there is no folder ${dirname(resolve(path))}. Make it, or name another file with --out-file.`;
    case 'ENOTDIR':
      return `${dirname(resolve(path))} is no folder. Name another file with --out-file.`;
    case 'EISDIR':
      return 'it is a folder. Name a file in it with --out-file.';
    default:
      return messageOf(cause);
  }
}

function appendOutput(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (cause) {
    throw new OutputFileError(file, cause);
  }
}
