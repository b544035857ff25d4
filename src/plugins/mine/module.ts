/** `mine.*`: data that minions leave for each other on the master (3006.16 salt/modules/mine.py). */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { messageOf } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { isInNetwork, parseIpAddress, parseIpNetwork } from '../../python/ipaddress.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { readDefinition, withAccess, type MineDefinition } from './module/definition.ts';
import { dockerAddresses } from './module/docker.ts';
import { isLocal, readLocal, storeMine, tellMasters, writeLocal } from './module/store.ts';
import { remove, takeOutFormer } from './module/told.ts';
import { notDone, refused } from '../shared/refused-by-master.ts';
import { ASKS_REASON, refusalIn } from '../../network/channel/refusal.ts';
import { param } from '../../runtime/loader/params.ts';

/** The functions of configuration and pillar together; empty when there are none. */
async function configuredFunctions(ctx: ModuleContext): Promise<Dict> {
  const merged = await ctx.functions.call('config.merge', ['mine_functions', new Map()]);
  return isDict(merged) ? merged : new Map();
}

/** The functions to update: those that are named, or those configured. */
async function wantedFunctions(ctx: ModuleContext, named: Value | undefined): Promise<Dict> {
  if (named === undefined) return configuredFunctions(ctx);
  if (Array.isArray(named)) return new Map(named.map((fun) => [fun, new Map<Value, Value>()]));
  return isDict(named) ? named : new Map();
}

async function isAvailable(ctx: ModuleContext, alias: string, fun: string): Promise<boolean> {
  if (await ctx.functions.has(fun)) return true;
  const by = alias === fun ? '' : ` (alias ${alias})`;
  ctx.log.error(
    `Function ${fun} in mine_functions not available${by}; nothing is kept for it.${await nearTo(ctx, fun)}`,
  );
  return false;
}

/** Functions of the same module that may have been meant. */
async function nearTo(ctx: ModuleContext, fun: string): Promise<string> {
  const dot = fun.indexOf('.');
  const module = dot < 0 ? undefined : await ctx.functions.module(fun.slice(0, dot));
  return didYouMean(
    fun,
    Object.keys(module?.functions ?? {}).map((name) => `${fun.slice(0, dot)}.${name}`),
  );
}

/** What is said of a function that fails; Salt has it at debug only, so that nobody reads it. */
function failed(fun: string, caller: string, error: unknown): string {
  return `Function ${fun} in mine.${caller} failed to execute; nothing is kept for it: ${messageOf(error)}`;
}

/** Runs a function of an update; undefined when it fails, with a line in the log. */
async function runFor(
  ctx: ModuleContext,
  fun: string,
  { args, kwargs }: Pick<MineDefinition, 'args' | 'kwargs'>,
): Promise<Value | undefined> {
  try {
    return await ctx.functions.call(fun, args, kwargs);
  } catch (error) {
    ctx.log.error(failed(fun, 'update', error), error);
    return undefined;
  }
}

async function update(ctx: ModuleContext, clear: boolean, named: Value | undefined): Promise<Value> {
  const functions = await wantedFunctions(ctx, named);
  // what was configured and is no longer so would be read for ever
  if (named === undefined) await takeOutFormer(ctx, [...functions.keys()].map(pyStr));
  if (functions.size === 0) return null;
  const data: Dict = new Map();
  for (const [alias, given] of copyValue(functions)) {
    const definition = readDefinition(given);
    const fun = definition.fun ?? pyStr(alias);
    if (!(await isAvailable(ctx, pyStr(alias), fun))) continue;
    const value = await runFor(ctx, fun, definition);
    if (value !== undefined) data.set(alias, withAccess(value, definition.access));
  }
  return storeMine(ctx, data, clear);
}

async function send(ctx: ModuleContext, name: string, rest: readonly Value[], given: Dict): Promise<Value> {
  const kwargs: Dict = new Map([...given].filter(([key]) => !String(key).startsWith('__')));
  const definition = readDefinition(kwargs);
  const fun = definition.fun ?? name;
  if (!(await ctx.functions.has(fun)))
    return notDone(
      ctx,
      'mine',
      `Function ${fun} in mine.send is not available; nothing is kept for it.${await nearTo(ctx, fun)}`,
    );
  let value: Value;
  try {
    value = await ctx.functions.call(fun, rest, definition.kwargs);
  } catch (error) {
    return notDone(ctx, 'mine', failed(fun, 'send', error));
  }
  return storeMine(ctx, new Map([[name, withAccess(value, definition.access)]]), false);
}

/** The mine of a minion without a master: its own data, when it is meant itself. */
async function getLocal(ctx: ModuleContext, tgt: Value, fun: Value, tgtType: string): Promise<Value> {
  const out: Dict = new Map();
  if (!truthy(await ctx.functions.call(`match.${tgtType}`, [tgt]))) return out;
  const names = typeof fun === 'string' ? [...new Set(fun.split(','))] : Array.isArray(fun) ? fun : [];
  const mine = readLocal(ctx);
  for (const name of names) {
    const entry = mine?.get(name);
    if (entry === undefined) continue;
    const value = isDict(entry) && entry.has('__saltmine_acl__') ? (entry.get('__data__') ?? null) : entry;
    if (Array.isArray(fun) || names.length > 1) out.set(name, new Map([[ctx.id, value]]));
    else out.set(ctx.id, value);
  }
  return out;
}

async function get(
  ctx: ModuleContext,
  tgt: Value,
  fun: Value,
  tgtType: string,
  exclude: boolean,
): Promise<Value> {
  if (isLocal(ctx)) return getLocal(ctx, tgt, fun, tgtType);
  const reply = await ctx.services.request(
    dict({ cmd: '_mine_get', id: ctx.id, tgt, fun, tgt_type: tgtType, ...ASKS_REASON }),
  );
  const reason = refusalIn(reply);
  if (reason !== undefined) return refused(ctx, 'mine', reason);
  if (exclude && isDict(reply)) reply.delete(ctx.id);
  return reply;
}

function listOrNone(value: Value): Value[] | undefined {
  if (!truthy(value)) return undefined;
  return Array.isArray(value) ? value : [value];
}

const fun = param.text({ doc: 'The function, or its alias.' });

/** The module `mine`. */
export const mineModule = defineModule({
  name: 'mine',
  file: 'mine',
  doc: 'The mine: what functions gave on minions, kept on the master for others to read.',
  failsWith: { false: ['delete', 'flush', 'send', 'update'], empty: ['get'] },
  functions: {
    update: defineFunction({
      doc: 'Runs the functions of `mine_functions`, and leaves what they give in the mine.',
      params: {
        clear: param.flag({ default: false, doc: 'Forget what is there.' }),
        mine_functions: param.valueIfGiven({
          default: null,
          type: 'dict or list',
          doc: 'Other functions than those configured.',
        }),
      },
      returns: 'True; None when there are no functions, False when no master takes the data',
      examples: ["salt '*' mine.update", `salt '*' mine.update mine_functions='["network.ip_addrs"]'`],
      run: (ctx, { clear, mine_functions }) => update(ctx, clear, mine_functions),
    }),
    send: defineFunction({
      doc:
        'Leaves what one function gives in the mine. Keywords: `mine_function` for a function under an alias, `allow_tgt` and ' +
        '`allow_tgt_type` for the minions that may read it; others go to the function.',
      params: { name: fun },
      varargs: 'args',
      kwargs: 'kwargs',
      returns:
        'True; False when no master takes the data. A function that is not there or fails is told to whoever calls',
      examples: [
        "salt '*' mine.send network.ip_addrs interface=eth0",
        "salt '*' mine.send eth0_ip_addrs mine_function=network.ip_addrs eth0 allow_tgt='G@role:web' allow_tgt_type=compound",
      ],
      run: (ctx, { name }, rest, kwargs) => send(ctx, name, rest, kwargs),
    }),
    get: defineFunction({
      doc: 'Reads the mine.',
      params: {
        tgt: param.value({ type: 'str', doc: 'The minions whose data is wanted.' }),
        fun: param.value({
          type: 'str or list',
          doc: 'The function or alias; several with commas between, or as list.',
        }),
        tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
        exclude_minion: param.flag({ default: false, doc: 'Leave out this minion.' }),
      },
      returns: 'mapping of minion to value; for several functions mapping of function to that',
      examples: [
        "salt '*' mine.get '*' network.interfaces",
        "salt '*' mine.get 'os:Fedora' network.interfaces grain",
      ],
      run: (ctx, args) => get(ctx, args.tgt, args.fun, args.tgt_type, args.exclude_minion),
    }),
    delete: defineFunction({
      doc: 'Removes what one function gave.',
      params: { fun },
      returns: 'bool',
      examples: ["salt '*' mine.delete 'network.interfaces'"],
      run: (ctx, args) => remove(ctx, args.fun),
    }),
    flush: defineFunction({
      doc: "Removes all of this minion's data.",
      returns: 'bool',
      examples: ["salt '*' mine.flush"],
      run: (ctx) =>
        isLocal(ctx)
          ? writeLocal(ctx, new Map())
          : tellMasters(ctx, dict({ cmd: '_mine_flush', id: ctx.id })),
    }),
    get_docker: defineFunction({
      doc: 'Shows where containers can be reached, from what minions have left of `docker.ps`.',
      params: {
        interfaces: param.by(listOrNone, {
          default: null,
          type: 'list',
          doc: 'Only addresses of these interfaces.',
        }),
        cidrs: param.by(listOrNone, {
          default: null,
          type: 'list',
          doc: 'Only addresses in these networks.',
        }),
        with_container_id: param.flag({ default: false, doc: 'Give pairs of address and container id.' }),
      },
      returns: 'mapping of image to `ipv4`, that to private port, that to `address:port`',
      examples: ["salt '*' mine.get_docker interfaces=eth0"],
      run: async (ctx, { interfaces, cidrs, with_container_id }) => {
        const hosts = await get(ctx, '*', 'docker.ps', 'glob', false);
        const networks = cidrs?.map((cidr) => parseIpNetwork(pyStr(cidr)));
        return dockerAddresses(isDict(hosts) ? hosts : new Map(), {
          interfaces,
          isWanted: (text) => {
            const address = parseIpAddress(text);
            return (
              networks === undefined ||
              networks.some((network) => network && address && isInNetwork(address, network))
            );
          },
          withContainerId: with_container_id,
        });
      },
    }),
    valid: defineFunction({
      doc: 'Shows the functions of `mine_functions` that there are.',
      returns: 'mapping of alias to definition; None when there are none',
      examples: ["salt '*' mine.valid"],
      run: async (ctx) => {
        const functions = await configuredFunctions(ctx);
        if (functions.size === 0) return null;
        const out: Dict = new Map();
        for (const [alias, given] of functions) {
          const { fun: real, args, kwargs } = readDefinition(given);
          if (!(await isAvailable(ctx, pyStr(alias), real ?? pyStr(alias)))) continue;
          const keywords = [...kwargs].map(([key, value]) => new Map([[key, value]]));
          out.set(alias, real === undefined ? given : new Map([[real, [...args, ...keywords]]]));
        }
        return out;
      },
    }),
  },
});
