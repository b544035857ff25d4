/** `logrotate`: the configuration of logrotate. Follows 3006.16 salt/modules/logrotate.py. */
import { readdirSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { readBytes } from '../../host/file-operations.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { joinPath } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';

const CONF = {
  conf_file: param.text({ default: '/etc/logrotate.conf', doc: 'The file.' }),
} as const;
const FILES = 'include files';
/** Files that include each other end somewhere. */
const DEPTH_MAX = 20;
const DOTALL = 16;
const MULTILINE = 8;

function read<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(osErrorText(error));
  }
}

const wordValue = (word: string): Value => (/^[+-]?\d+$/.test(word) ? Number(word) : word);

/** What begins a script of several lines, which `endscript` ends. */
const SCRIPTS = new Set(['prerotate', 'postrotate', 'firstaction', 'lastaction', 'preremove']);

/** Blocks and commands of one file, with those of the files that it includes. */
class Reader {
  readonly found: Dict = new Map();
  /** The blocks of this very file as they stand there, by the files that they are for. */
  readonly texts = new Map<string, string>();
  readonly #depth: number;
  #names: string[] | undefined;
  #block = dict();
  #before: string[] = [];
  #text: string[] = [];
  #script: { readonly name: string; readonly lines: string[] } | undefined;

  constructor(depth: number) {
    if (depth > DEPTH_MAX)
      throw new CommandExecutionError('The files of logrotate include each other without end');
    this.#depth = depth;
  }

  line(raw: string): void {
    const text = raw.trim();
    if (this.#names !== undefined) this.#text.push(raw);
    if (this.#script !== undefined) this.#scriptLine(text);
    else if (this.#names !== undefined && SCRIPTS.has(text)) this.#script = { name: text, lines: [] };
    else if (text !== '' && !text.startsWith('#')) this.#command(text, raw);
  }

  // Salt compat: 3006.16 takes the lines of a script for commands, and loses all but one `endscript` when it writes
  // them
  #scriptLine(text: string): void {
    if (text !== 'endscript') {
      this.#script?.lines.push(text);
      return;
    }
    this.#block.set(this.#script?.name ?? '', this.#script?.lines.join('\n') ?? '');
    this.#script = undefined;
  }

  #command(text: string, raw: string): void {
    const words = text.split(/\s+/);
    if (text.includes('{') && !text.includes('}')) {
      this.#names = words.length === 1 && this.#before.length > 0 ? this.#before : words.slice(0, -1);
      this.#text = [raw];
      return;
    }
    if (text.includes('}')) {
      for (const name of this.#names ?? []) {
        this.found.set(name, this.#block);
        this.texts.set(name, this.#text.join('\n'));
      }
      this.#names = undefined;
      this.#block = dict();
      return;
    }
    const [key = '', ...rest] = words;
    if (key === 'include' && rest[0] !== undefined) this.#include(rest[0]);
    this.#before = words;
    const value = rest.length === 0 ? true : rest.length === 1 ? wordValue(rest[0] ?? '') : rest.join(' ');
    (this.#names === undefined ? this.found : this.#block).set(key, value);
  }

  #include(folder: string): void {
    const known = this.found.get(FILES);
    const files = isDict(known) ? known : dict();
    this.found.set(FILES, files);
    for (const name of read(() => readdirSync(folder))) {
      const blocks = parseConf(joinPath(folder, name), this.#depth + 1);
      const before = files.get(name);
      files.set(name, [...(Array.isArray(before) ? before : []), ...blocks.keys()]);
      for (const [key, value] of blocks) this.found.set(key, value);
    }
  }
}

function readConf(path: string, depth: number): Reader {
  const reader = new Reader(depth);
  const text = read(() => Buffer.from(readBytes(path)).toString('utf8'));
  for (const line of text.split('\n')) reader.line(line);
  return reader;
}

const parseConf = (path: string, depth = 0): Dict => readConf(path, depth).found;

/** The file that has a block. */
function fileOf(conf: Dict, key: string, fallback: string): string {
  const files = conf.get(FILES);
  const folder = conf.get('include');
  for (const [name, keys] of isDict(files) ? files : [])
    if (Array.isArray(keys) && keys.includes(key)) return joinPath(pyStr(folder ?? ''), pyStr(name));
  return fallback;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function commandText(name: string, value: Value): string {
  if (!SCRIPTS.has(name)) return `    ${name} ${value === true ? '' : pyStr(value)}\n`;
  const lines = pyStr(value).split('\n');
  return `    ${name}\n${lines.map((line) => `        ${line}\n`).join('')}    endscript\n`;
}

/** @param head what stands before the first brace */
function blockText(head: string, block: Dict): string {
  const lines = [...block].map(([name, value]) => commandText(pyStr(name), value));
  return `${head}{\n${lines.join('')}}`;
}

/** What one call is to set. */
interface Setting {
  readonly key: string;
  readonly value: Value;
  readonly setting: Value;
  readonly conf_file: string;
}

/** The keywords of the replacement, undefined where it is as wanted. */
function replacementOf(
  { key, value, setting }: Setting,
  conf: Dict,
  textOf: () => string | undefined,
): Dict | undefined {
  const current = conf.get(key) ?? false;
  // Salt compat: Salt takes the key for a pattern, so that a dot stands for any character.
  if (setting === null) {
    if (isDict(current))
      throw new SaltInvocationError(
        `Error: ${key} includes a dict, and a specific setting inside the dict was not declared`,
      );
    if (valuesEqual(value, current)) return undefined;
    const repl = value === true ? key : truthy(value) ? `${key} ${pyStr(value)}` : '';
    return dict({ pattern: `^${escaped(key)}.*`, flags: MULTILINE, prepend_if_not_found: true, repl });
  }
  if (truthy(current) && !isDict(current))
    throw new SaltInvocationError(
      'Error: A setting for a dict was declared, but the configuration line given is not a dict',
    );
  const block: Dict = isDict(current) ? new Map(current) : dict();
  if (valuesEqual(setting, block.get(value) ?? false)) return undefined;
  if (truthy(setting)) block.set(value, setting);
  else block.delete(value);
  // as it stands there, since a script may have braces of its own, and other names may stand beside this one
  const text = textOf();
  return dict({
    pattern: text === undefined ? `^${escaped(key)}.*?{.*?}` : escaped(text),
    flags: MULTILINE + DOTALL,
    append_if_not_found: true,
    repl: blockText(text === undefined ? `${key} ` : text.slice(0, text.indexOf('{')), block),
  });
}

function set(ctx: ModuleContext, wanted: Setting): Value | Promise<Value> {
  const conf = parseConf(wanted.conf_file);
  const path = fileOf(conf, wanted.key, wanted.conf_file);
  const keywords = replacementOf(wanted, conf, () => readConf(path, 0).texts.get(wanted.key));
  if (keywords === undefined) return true;
  const repl = pyStr(keywords.get('repl') ?? '').replaceAll('\\', '\\\\');
  return ctx.functions.call(
    'file.replace',
    [],
    new Map([...keywords, ...dict({ repl, path, backup: false, show_changes: false })]),
  );
}

const KEY = {
  key: param.text({ doc: 'The command, or the files of a block as they stand there.' }),
} as const;

/** The module. */
export const logrotateModule = defineModule({
  name: 'logrotate',
  file: 'logrotate',
  doc: 'The configuration of logrotate.',
  words: { dashes: 'any' },
  failsWith: { false: ['set'] },
  functions: {
    show_conf: defineFunction({
      doc: 'Returns the configuration with what it includes.',
      params: CONF,
      returns: 'mapping of command to value and of file to block',
      examples: ["salt '*' logrotate.show_conf"],
      run: (_ctx, { conf_file }) => parseConf(conf_file),
    }),
    get: defineFunction({
      doc: 'Returns a command or a block.',
      params: {
        ...KEY,
        value: param.valueIfGiven({ default: null, type: 'str', doc: 'A command of the block.' }),
        ...CONF,
      },
      returns: 'the value, false where there is none',
      examples: ["salt '*' logrotate.get rotate", "salt '*' logrotate.get /var/log/wtmp rotate"],
      run: (_ctx, { key, value, conf_file }) => {
        const block = parseConf(conf_file).get(key) ?? false;
        if (value === undefined || !truthy(block)) return block;
        return isDict(block) ? (block.get(value) ?? false) : false;
      },
    }),
    set: defineFunction({
      doc: 'Sets a command, of a block where one is named.',
      params: {
        ...KEY,
        value: param.value({ type: 'str', doc: 'The value, or the command of the block.' }),
        setting: param.value({ default: null, type: 'str', doc: 'The value of the command of the block.' }),
        ...CONF,
      },
      pythonName: 'set_',
      returns: 'true where the file was changed or is right',
      examples: ["salt '*' logrotate.set rotate 2", "salt '*' logrotate.set /var/log/wtmp rotate 2"],
      run: (ctx, wanted) => set(ctx, wanted),
    }),
  },
});
