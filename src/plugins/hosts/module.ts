/** `hosts`: the table of host names in /etc/hosts. Follows 3006.16 salt/modules/hosts.py. */
import { replaceFile, writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { isFile, pathExists } from '../../python/paths.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { type Dict, type Value } from '../../python/values/value.ts';
import { noItem, noSuffix, param } from '../../runtime/loader/params.ts';
import { optionText } from '../shared/settings.ts';

async function hostsFile(ctx: ModuleContext): Promise<string> {
  return (await optionText(ctx, ['hosts.file'])) ?? '/etc/hosts';
}

/** The file, created when it is missing. @returns undefined when it is no regular file */
async function writableFile(ctx: ModuleContext): Promise<string | undefined> {
  const path = await hostsFile(ctx);
  if (!pathExists(path)) writeInPlace(path, '');
  return isFile(path) ? path : undefined;
}

/** An address with its names. */
interface Entry {
  readonly aliases: string[];
  comment?: string;
}

/** The table: addresses, and comments as `comment-N`. */
type Table = Map<string, Entry | string[]>;

function parse(text: string): Table {
  const table: Table = new Map();
  let comments = 0;
  for (const raw of text.split('\n')) {
    let line = strip(raw);
    if (line === '') continue;
    if (line.startsWith('#')) {
      table.set(`comment-${comments++}`, [line]);
      continue;
    }
    const at = line.indexOf('#');
    const comment = at < 0 ? '' : line.slice(at + 1).trimStart();
    if (at >= 0) line = strip(line.slice(0, at));
    const [ip = '', ...names] = line.split(/\s+/);
    const known = table.get(ip);
    const entry: Entry = known !== undefined && !Array.isArray(known) ? known : { aliases: [] };
    entry.aliases.push(...names);
    if (comment !== '') entry.comment = comment;
    table.set(ip, entry);
  }
  return table;
}

async function read(ctx: ModuleContext): Promise<Table> {
  return parse(readTextIfExists(await hostsFile(ctx)) ?? '');
}

function toDict(table: Table): Dict {
  return new Map(
    [...table].map(([ip, entry]): [Value, Value] => {
      if (Array.isArray(entry)) return [ip, entry];
      const shown: Dict = new Map([['aliases', entry.aliases]]);
      if (entry.comment !== undefined) shown.set('comment', entry.comment);
      return [ip, shown];
    }),
  );
}

function render(table: Table): string {
  const lines = [...table].map(([ip, entry]) => {
    if (Array.isArray(entry)) return entry.join('');
    const names = `${ip}\t\t${entry.aliases.join(' ')}`;
    return entry.comment === undefined ? names : `${names}\t\t# ${entry.comment}`;
  });
  return lines
    .map(strip)
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}

/** Bind mounts (containers) refuse a new file in the place of the old one, so the content is replaced. */
function write(ctx: ModuleContext, path: string, text: string): void {
  if (path === '/etc/hosts') writeInPlace(path, text);
  else replaceFile(ctx.random, path, text);
}

function hasAlias(table: Table, ip: string, alias: Value): boolean {
  const entry = table.get(ip);
  if (entry === undefined || Array.isArray(entry)) return false;
  const names = Array.isArray(alias) ? alias : [alias];
  return names.every((name) => entry.aliases.includes(pyStr(name)));
}

/** Replaces the lines of an address by one, or adds it. */
function setLines(text: string, ip: string, line: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let isSet = false;
  const out = lines.map((old) => {
    const bare = strip(old);
    if (bare === '' || bare.startsWith('#') || bare.split(/\s+/)[0] !== ip) return old;
    const replacement = isSet ? '' : line;
    isSet = true;
    return replacement;
  });
  if (isSet) return out.join('');
  const last = out.at(-1);
  if (last !== undefined && !last.endsWith('\n')) out[out.length - 1] = `${last}\n`;
  return out.join('') + line;
}

/** Takes a name out of the lines of an address; lines without names go away. */
function removeAlias(text: string, ip: string, alias: string): string {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
    .map((old) => {
      const bare = strip(old);
      if (bare === '' || bare.startsWith('#')) return old;
      const at = bare.indexOf('#');
      const comment = at < 0 ? '' : bare.slice(at + 1).trimStart();
      const [address = '', ...names] = strip(at < 0 ? bare : bare.slice(0, at)).split(/\s+/);
      if (address !== ip) return old;
      const left = names.filter((name) => name !== alias);
      if (left.length === 0) return '';
      const line = `${address}\t\t${left.map((name) => `${name} `).join('')}`;
      return comment === '' ? `${line}\n` : `${line}# ${comment}\n`;
    })
    .join('');
}

const ADDRESS = param.textOnly(noSuffix, { doc: 'The address.' });
const IP = param.text({ doc: 'The address.' });
const ALIAS = param.text({ doc: 'The host name.' });
const DONE = 'true; false when the file is none';

/** The module. */
export const hostsModule = defineModule({
  name: 'hosts',
  file: 'hosts',
  doc: 'Reads and changes the table of host names.',
  words: { dashes: 'any' },
  failsWith: { false: ['add_host', 'rm_host', 'set_comment', 'set_host'] },
  functions: {
    list_hosts: defineFunction({
      doc: 'Lists the table.',
      returns: 'mapping of address to `{aliases, comment}`; comment lines as `comment-N`',
      examples: ["salt '*' hosts.list_hosts"],
      run: async (ctx) => toDict(await read(ctx)),
    }),
    get_ip: defineFunction({
      doc: 'Finds the address of a host name.',
      params: { host: ALIAS },
      returns: 'text; empty when there is none',
      examples: ["salt '*' hosts.get_ip <hostname>"],
      run: async (ctx, { host }) => {
        const found = [...(await read(ctx))].find(
          ([, entry]) => !Array.isArray(entry) && entry.aliases.includes(host),
        );
        return found?.[0] ?? '';
      },
    }),
    get_alias: defineFunction({
      doc: 'Lists the host names of an address.',
      params: { ip: IP },
      returns: 'list',
      examples: ["salt '*' hosts.get_alias <ip addr>"],
      run: async (ctx, { ip }) => {
        const entry = (await read(ctx)).get(ip);
        return entry === undefined || Array.isArray(entry) ? [] : entry.aliases;
      },
    }),
    has_pair: defineFunction({
      doc: 'Returns whether an address has a host name (or all of a list).',
      params: { ip: IP, alias: param.value({ type: 'str or list', doc: 'The host names.' }) },
      returns: 'true or false',
      examples: ["salt '*' hosts.has_pair <ip> <alias>"],
      run: async (ctx, { ip, alias }) => hasAlias(await read(ctx), ip, alias),
    }),
    set_host: defineFunction({
      doc: 'Makes host names the only ones of an address; without a name the address is taken out.',
      params: {
        ip: ADDRESS,
        alias: param.textOnly(noSuffix, { doc: 'Host names, separated by blanks.' }),
        comment: param.textOnlyOrNone(noSuffix, {
          default: null,
          doc: 'A comment for the line.',
        }),
      },
      returns: DONE,
      examples: ["salt '*' hosts.set_host <ip> <alias>"],
      run: async (ctx, { ip, alias, comment }) => {
        const path = await writableFile(ctx);
        if (path === undefined) return false;
        const [address, names] = [ip, alias];
        const tail = comment !== undefined ? `\t\t# ${comment}` : '';
        const line = strip(names) === '' ? '' : `${address}\t\t${names}${tail}\n`;
        write(ctx, path, setLines(readTextIfExists(path) ?? '', address, line));
        return true;
      },
    }),
    rm_host: defineFunction({
      doc: 'Takes a host name from an address.',
      params: { ip: IP, alias: ALIAS },
      returns: 'true',
      examples: ["salt '*' hosts.rm_host <ip> <alias>"],
      run: async (ctx, { ip, alias }) => {
        const [address, name] = [ip, alias];
        if (!hasAlias(await read(ctx), address, name)) return true;
        const path = await hostsFile(ctx);
        write(ctx, path, removeAlias(readTextIfExists(path) ?? '', address, name));
        return true;
      },
    }),
    add_host: defineFunction({
      doc: 'Gives an address one more host name.',
      params: {
        ip: param.by((value) => (value === null ? 'None' : ADDRESS.read(value)), IP),
        alias: param.textOnly(noItem(0), { doc: ALIAS.doc }),
      },
      returns: DONE,
      examples: ["salt '*' hosts.add_host <ip> <alias>"],
      run: async (ctx, { ip, alias }) => {
        const path = await writableFile(ctx);
        if (path === undefined) return false;
        const [address, name] = [ip, alias];
        const table = await read(ctx);
        if (hasAlias(table, address, name)) return true;
        const entry = table.get(address);
        if (entry !== undefined && !Array.isArray(entry)) entry.aliases.push(name);
        else table.set(address, { aliases: [name] });
        write(ctx, path, render(table));
        return true;
      },
    }),
    set_comment: defineFunction({
      doc: 'Sets the comment of an address that is in the table.',
      params: { ip: IP, comment: param.text({ doc: 'The comment.' }) },
      returns: 'true; false when the address is not there',
      examples: [`salt '*' hosts.set_comment <ip> <comment>`],
      run: async (ctx, { ip, comment }) => {
        const path = await writableFile(ctx);
        const table = await read(ctx);
        const entry = table.get(ip);
        if (path === undefined || entry === undefined || Array.isArray(entry)) return false;
        const text = comment;
        if (entry.comment !== text) {
          entry.comment = text;
          write(ctx, path, render(table));
        }
        return true;
      },
    }),
  },
});
