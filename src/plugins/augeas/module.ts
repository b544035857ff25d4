/** `augeas`: configuration files as trees, through `augtool`. Follows 3006.16 salt/modules/augeas_cfg.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { matchedNodes, printedNodes, type AugeasNode } from './module/answers.ts';
import { executeCommands } from './module/execute.ts';
import { saveChanges } from './module/save.ts';
import { lensFolders, pathWord, runAugtool, valueWord, withoutAugtool } from './module/tool.ts';

const PATH = { path: param.text({ doc: 'The path in the tree, as /files/etc/hosts/1.' }) } as const;
const LOAD_PATH = {
  load_path: param.value({
    default: null,
    type: 'str',
    doc: 'Folders with further lenses, with colons between them.',
  }),
} as const;
const VALUE = { value: param.textOrEmpty({ default: '', doc: 'A value; see above.' }) } as const;
const NODES = 'mapping of path to value; None where a node has none';
/** Stands between the answers to two questions. */
const BETWEEN = '/augeas/version';

/** The nodes that a path is for; undefined for what is no path. */
async function matching(
  ctx: ModuleContext,
  path: string,
  load_path: Value,
): Promise<AugeasNode[] | undefined> {
  // a path that ends with a slash is none, which augtool does not mind
  if (path.endsWith('/') && path !== '/') return undefined;
  const scope = { folders: lensFolders(ctx, load_path) };
  const { retcode, stdout } = await runAugtool(ctx, scope, [`match ${pathWord(path)}`]);
  return retcode === 0 ? matchedNodes(stdout) : undefined;
}

/** The only argument that begins with a word; `prefix=…` and `load_path=…` stand among paths and values. */
function oneOf(words: readonly string[], key: string, given: string | undefined): string | undefined {
  const found = words.filter((word) => word.startsWith(`${key}=`));
  if (found.length + (given === undefined ? 0 : 1) > 1)
    throw new SaltInvocationError(`Only one '${key}=' value is permitted`);
  return found[0]?.slice(key.length + 1) ?? given;
}

async function setValues(
  ctx: ModuleContext,
  words: readonly string[],
  given: { readonly prefix: string | undefined; readonly load_path: string | undefined },
): Promise<Dict> {
  const folders = lensFolders(ctx, oneOf(words, 'load_path', given.load_path) ?? null);
  const prefix = oneOf(words, 'prefix', given.prefix) ?? '';
  const pairs = words.filter((word) => !/^(?:prefix|load_path)=/.test(word));
  if (pairs.length % 2 !== 0) throw new SaltInvocationError('Uneven number of path/value arguments');
  const lines = pairs.flatMap((path, i) => {
    if (i % 2 !== 0) return [];
    const whole = prefix === '' ? path : `${prefix.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
    return [`set ${pathWord(whole)} ${valueWord(pairs[i + 1] ?? '')}`];
  });
  const { error } = await saveChanges(ctx, { folders }, lines);
  return error === undefined ? dict({ retval: true }) : dict({ retval: false, error });
}

async function remove(ctx: ModuleContext, path: string, load_path: Value): Promise<Dict> {
  const invalid = dict({ retval: false, error: 'Invalid node', count: -1 });
  if (path.endsWith('/')) return invalid;
  const scope = { folders: lensFolders(ctx, load_path) };
  const { error, printed } = await saveChanges(ctx, scope, [`rm ${pathWord(path)}`]);
  const count = /^rm : .* (\d+)$/m.exec(printed)?.[1];
  if (count === undefined) return invalid;
  const counted = dict({ count: Number(count) });
  if (error !== undefined) return new Map([...dict({ retval: false, error }), ...counted]);
  return new Map([...dict({ retval: true }), ...counted]);
}

async function list(ctx: ModuleContext, path: string, load_path: Value): Promise<Dict> {
  const base = `${path.replace(/\/+$/, '')}/`;
  const scope = { folders: lensFolders(ctx, load_path) };
  const asked = [`match ${pathWord(`${base}*`)}`, `get ${BETWEEN}`, `match ${pathWord(`${base}*/*`)}`];
  const { stdout } = await runAugtool(ctx, scope, asked);
  const [nodes = '', below = ''] = stdout.split(new RegExp(`^${BETWEEN} = .*\\n`, 'm'));
  const parents = new Set(matchedNodes(below).map(([child]) => child.slice(0, child.lastIndexOf('/'))));
  return new Map(
    matchedNodes(nodes).map(([node, value]): [Value, Value] => {
      const name = node.startsWith(base) ? node.slice(base.length) : node;
      return [parents.has(node) ? `${name}/` : name, value];
    }),
  );
}

/** The module. */
export const augeasModule = defineModule({
  name: 'augeas',
  file: 'augeas_cfg',
  doc: 'Configuration files as trees of values (`augtool`).',
  unavailable: withoutAugtool,
  // every word is quoted, and goes to the standard input
  words: { dashes: 'any', lines: 'any' },
  failsWith: { error: ['execute', 'remove', 'setvalue'] },
  functions: {
    execute: defineFunction({
      doc: 'Carries out commands that change: set, setm, mv, ins and rm. Nothing is written if one of them fails.',
      params: {
        context: param.textIfGiven({
          default: null,
          doc: 'What stands before each path, as /files/etc/hosts.',
        }),
        lens: param.textIfGiven({
          default: null,
          doc: 'The lens for the file of the context, as Hosts.lns.',
        }),
        commands: param.by((value) => (Array.isArray(value) ? value : [value]).map(pyStr), {
          default: [],
          type: 'list',
          doc: 'The commands, each a text.',
        }),
        ...LOAD_PATH,
      },
      returns: 'mapping of retval, and of error where it has failed',
      examples: ["salt '*' augeas.execute /files/etc/redis/redis.conf commands='[\"set bind 0.0.0.0\"]'"],
      run: async (ctx, given) => {
        const { error } = await executeCommands(ctx, given, false);
        return error === undefined ? dict({ retval: true }) : dict({ retval: false, error });
      },
    }),
    get: defineFunction({
      doc: 'Returns the value at a path; `value` is a node below it.',
      params: { ...PATH, ...VALUE, ...LOAD_PATH },
      returns: 'mapping of path to value, empty where there is no such node',
      examples: ["salt '*' augeas.get /files/etc/hosts/1/ ipaddr"],
      run: async (ctx, { path, value, load_path }) => {
        const below = value === '' ? '' : `/${value.replace(/^\/+|\/+$/g, '')}`;
        const whole = `${path.replace(/\/+$/, '')}${below}`;
        const nodes = await matching(ctx, whole, load_path);
        if (nodes === undefined)
          return dict({ error: `('Error during match procedure!', ${pyRepr(whole)})` });
        return new Map<Value, Value>([
          [whole, nodes.length === 0 ? '' : nodes.length > 1 ? null : (nodes[0]?.[1] ?? null)],
        ]);
      },
    }),
    setvalue: defineFunction({
      doc: 'Sets values: paths and values by turns. `prefix` stands before each path.',
      varargs: 'args',
      params: {
        prefix: param.textIfGiven({ default: null, keywordOnly: true, doc: 'What stands before each path.' }),
        load_path: param.textIfGiven({
          default: null,
          keywordOnly: true,
          doc: 'Folders with further lenses, with colons between them.',
        }),
      },
      returns: 'mapping of retval, and of error where it has failed',
      examples: ["salt '*' augeas.setvalue /files/etc/hosts/1/canonical localhost"],
      run: (ctx, given, rest) => setValues(ctx, rest.map(pyStr), given),
    }),
    match: defineFunction({
      doc: 'Returns the nodes that a path is for; with `value` only those that have it.',
      params: { ...PATH, ...VALUE, ...LOAD_PATH },
      returns: NODES,
      examples: ["salt '*' augeas.match /files/etc/services/service-name ssh"],
      run: async (ctx, { path, value, load_path }) => {
        const nodes = (await matching(ctx, path, load_path)) ?? [];
        return new Map<Value, Value>(value === '' ? nodes : nodes.filter((node) => node[1] === value));
      },
    }),
    remove: defineFunction({
      doc: 'Removes the nodes that a path is for, with all below them.',
      params: { ...PATH, ...LOAD_PATH },
      returns: 'mapping of retval and count, and of error where it has failed',
      examples: ["salt '*' augeas.remove /files/etc/sysctl.conf/net.ipv4.conf.all.log_martians"],
      run: (ctx, { path, load_path }) => remove(ctx, path, load_path),
    }),
    ls: defineFunction({
      doc: 'Lists the nodes right below a path; those with others below them end with a slash.',
      params: { ...PATH, ...LOAD_PATH },
      returns: 'mapping of name to value',
      examples: ["salt '*' augeas.ls /files/etc/passwd"],
      run: (ctx, { path, load_path }) => list(ctx, path, load_path),
    }),
    tree: defineFunction({
      doc: 'Returns a node and all below it.',
      params: { ...PATH, ...LOAD_PATH },
      returns: NODES,
      examples: ["salt '*' augeas.tree /files/etc/"],
      run: async (ctx, { path, load_path }) => {
        const clean = path.replace(/[/*]+$/, '');
        const scope = { folders: lensFolders(ctx, load_path) };
        const { stdout } = await runAugtool(ctx, scope, [`print ${pathWord(clean)}`]);
        return new Map<Value, Value>([[clean, null], ...printedNodes(stdout)]);
      },
    }),
  },
});
