/** `nfs3`: what is exported by NFS. Follows 3006.16 salt/modules/nfs3.py. */
import { readFileSync } from 'node:fs';
import { ArgumentError, CommandExecutionError } from '../../errors/errors.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { noPath, param } from '../../runtime/loader/params.ts';
import { runAll } from '../shared/program.ts';

/** `host(option,option)` as a mapping. */
function clientOf(text: string): Dict {
  const [hosts = '', options] = text.split('(');
  if (options === undefined)
    throw new CommandExecutionError(`The client '${text}' has no options in brackets: hosts(ro,sync).`);
  return dict({ hosts, options: options.replaceAll(')', '').split(',') });
}

/** The exports of a file: a path, and the clients that may have it. */
function readExports(path: string): Map<string, Value[]> {
  const found = new Map<string, Value[]>();
  for (const line of splitLines(readFileSync(path, 'utf8'))) {
    const [share, ...rest] = line.startsWith('#') ? [] : line.split(/\s+/).filter((word) => word !== '');
    if (share === undefined) continue;
    const clients = rest.filter((word) => !word.startsWith('/')).map(clientOf);
    found.set(share, [...(found.get(share) ?? []), ...clients]);
    for (const other of rest.filter((word) => word.startsWith('/'))) found.set(other, found.get(share) ?? []);
  }
  return found;
}

/**
 * The options of a client, which may be written as `rw,sync`, too.
 *
 * Salt compat: Salt puts a comma between the letters of a text, so that `rw` becomes `r,w`.
 */
export const exportOptions = (given: Value): string[] =>
  (Array.isArray(given) ? given : truthy(given) ? pyStr(given).split(',') : [])
    .map((option) => pyStr(option).trim())
    .filter((option) => option !== '');

function writeExports(path: string, exports: ReadonlyMap<string, Value[]>): void {
  const lines = [...exports].map(([share, clients]) => {
    const texts = clients.map((client) => {
      const about: Dict = isDict(client) ? client : dict();
      return ` ${pyStr(about.get('hosts') ?? '')}(${exportOptions(about.get('options') ?? null).join(',')})`;
    });
    return `${share}${texts.join('')}\n`;
  });
  writeInPlace(path, lines.join(''));
}

const FILE = { exports: param.textOnly(noPath, { default: '/etc/exports', doc: 'The file.' }) } as const;
const PATH = { path: param.text({ default: null, doc: 'The folder that is exported.' }) } as const;

/** The module. */
export const nfs3Module = defineModule({
  name: 'nfs3',
  file: 'nfs3',
  doc: 'What is exported by NFS.',
  unavailable: () =>
    findProgram('showmount') === undefined
      ? 'The nfs3 execution module failed to load: the showmount binary is not in the path.'
      : undefined,
  words: {},
  functions: {
    list_exports: defineFunction({
      doc: 'Lists what is exported.',
      params: FILE,
      returns: 'mapping of folder to a list of clients, each with hosts and options',
      examples: ["salt '*' nfs3.list_exports"],
      run: (_ctx, { exports }) => readExports(exports) as Dict,
    }),
    del_export: defineFunction({
      doc: 'Exports a folder no more.',
      params: { ...FILE, ...PATH },
      returns: 'what is still exported',
      examples: ["salt '*' nfs3.del_export path='/media/storage'"],
      run: (_ctx, { exports, path }) => {
        const found = readExports(exports);
        if (!found.delete(path)) throw new CommandExecutionError(`KeyError: ${pyRepr(path)}`);
        writeExports(exports, found);
        return found;
      },
    }),
    add_export: defineFunction({
      doc: 'Exports a folder to one more client.',
      params: {
        ...FILE,
        ...PATH,
        hosts: param.textAlone({ default: null, doc: 'The client.' }),
        options: param.value({ default: null, type: 'list of str', doc: 'The options for it.' }),
      },
      returns: 'the client with its options',
      examples: ["salt '*' nfs3.add_export path='/srv/test' hosts='127.0.0.1' options=['rw']"],
      run: (_ctx, { exports, path, hosts, options }) => {
        if (hosts === undefined) throw new ArgumentError('hosts argument must be a string');
        const found = readExports(exports);
        const client = dict({ hosts, options: options ?? [] });
        found.set(path, [...(found.get(path) ?? []), client]);
        writeExports(exports, found);
        return client;
      },
    }),
    reload_exports: defineFunction({
      doc: 'Has the server take over what the file says.',
      returns: 'mapping with stdout, stderr and result',
      examples: ["salt '*' nfs3.reload_exports"],
      run: async (ctx) => {
        const { stdout, stderr } = await runAll(ctx, ['exportfs', '-r']);
        return dict({ stdout, stderr, result: stderr === '' });
      },
    }),
  },
});
