/** Handing a return to the returners that are named for it (salt/minion.py `_thread_return`, 3006.16). */
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { callFunction, ModuleRegistry, type RegistryOptions } from '../../../runtime/loader/registry.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { STORE_KINDS } from './store-kinds.generated.ts';
import type { OpenStores } from '../../shared/returner/open-stores.ts';
import { returnerTable } from './returners.ts';
import { failureText, type ReturnerTroubles } from '../../shared/returner/troubles.ts';

/**
 * The returners that a minion may use: those of this program without `disable_returners`, and `custom` ones before
 * them.
 * @param stores where open databases are kept
 */
export function returnerRegistry(
  options: Pick<RegistryOptions, 'opts' | 'grains' | 'custom' | 'installed' | 'functions'>,
  stores: OpenStores,
): ModuleRegistry {
  const opts: Dict = new Map(options.opts);
  // these options of a registry speak of execution modules
  opts.set('disable_modules', options.opts.get('disable_returners') ?? []);
  opts.delete('whitelist_modules');
  opts.delete('providers');
  return new ModuleRegistry({ ...options, opts, table: returnerTable(stores) });
}

/** Stands for the returners of the option of this name (salt/returners/multi_returner.py). */
const MULTI_RETURNER = 'multi_returner';

/** The names in texts or lists of texts, comma-separated, each once. */
export function returnerNames(...wanted: readonly (Value | undefined)[]): string[] {
  const texts = wanted.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(truthy);
  const names = texts.flatMap((text) => String(text).split(','));
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** Where returns wait for a database that cannot take them. */
export interface WaitingRoom {
  /** True while others wait for the same returner and configuration. */
  isDown(name: string, ret: Dict): boolean;
  keep(name: string, ret: Dict): Promise<void>;
}

/**
 * Hands a return to returners, all at once. None can harm the minion or another: one that is missing or fails is a line
 * in the log.
 * @returns the reasons of those that neither took it nor let it wait
 * @param ret the return, with `id`, `ret_config` and `ret_kwargs` where there are any
 * @param waiting takes what a database cannot take now
 * @param troubles what is known of returners that fail; without it each failure is told
 */
export async function runReturners(
  registry: ModuleRegistry,
  names: readonly string[],
  ret: Dict,
  ctx: ModuleContext,
  waiting?: WaitingRoom,
  troubles?: ReturnerTroubles,
): Promise<string[]> {
  const each = eachReturner(names, ctx);
  const reasons = await Promise.all(
    each.map((name) => runReturner(registry, name, ret, ctx, { waiting, troubles })),
  );
  return reasons.filter((reason) => reason !== undefined);
}

/** A returner that is not there, and why: a sentence, with the names that may have been meant. */
export interface MissingReturner {
  readonly name: string;
  readonly why: string;
}

/** Those of the named returners that are not there. */
export async function missingReturners(
  registry: Pick<ModuleRegistry, 'find' | 'names'>,
  names: readonly string[],
  ctx: Pick<ModuleContext, 'opts'>,
): Promise<MissingReturner[]> {
  const found = await Promise.all(
    eachReturner(names, ctx).map(async (name) => ({ name, ...(await registry.find(`${name}.returner`)) })),
  );
  return found.flatMap(({ name, missing }) =>
    missing === undefined ? [] : [{ name, why: `${missing}${didYouMean(name, registry.names())}` }],
  );
}

/** The options of the named returners, where they are known: a site's own may read any. */
export async function returnerSettings(
  registry: Pick<ModuleRegistry, 'find'>,
  names: readonly string[],
  ctx: Pick<ModuleContext, 'opts'>,
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const out = new Map<string, readonly string[] | undefined>();
  for (const name of eachReturner(names, ctx)) {
    const found = await registry.find(`${name}.returner`);
    if (found.spec !== undefined) out.set(name, found.module.settings);
  }
  return out;
}

/** The names, each once, `multi_returner` replaced by those it stands for. */
function eachReturner(names: readonly string[], ctx: Pick<ModuleContext, 'opts'>): string[] {
  const all = names.flatMap((name) =>
    name === MULTI_RETURNER ? returnerNames(ctx.opts.get(MULTI_RETURNER)) : [name],
  );
  return [...new Set(all)].filter((name) => name !== MULTI_RETURNER);
}

async function runReturner(
  registry: ModuleRegistry,
  name: string,
  ret: Dict,
  ctx: ModuleContext,
  {
    waiting,
    troubles,
  }: { readonly waiting: WaitingRoom | undefined; readonly troubles: ReturnerTroubles | undefined },
): Promise<string | undefined> {
  const fun = `${name}.returner`;
  try {
    const { spec, missing } = await registry.find(fun);
    if (spec === undefined) {
      const reason = missingReturner(registry, name, missing);
      if (troubles === undefined) ctx.log.error(reason);
      else troubles.missing(name, reason, ctx.log);
      return reason;
    }
    if (waiting?.isDown(name, ret) === true && isKeepable(name, ret)) await waiting.keep(name, ret);
    else {
      await callFunction(fun, spec, ctx, [new Map(ret)], new Map());
      troubles?.succeeded(name, ctx.log);
    }
    return undefined;
  } catch (error) {
    if (waiting !== undefined && isKeepable(name, ret) && (await isKept(waiting, name, ret, ctx)))
      return undefined;
    const jid = String(ret.get('jid'));
    const reason = failureText(name, jid, error);
    if (troubles === undefined) ctx.log.error(reason, error);
    else troubles.failed(name, jid, error, ctx.log);
    return reason;
  }
}

/** What is said of a returner that is not there. */
function missingReturner(registry: Pick<ModuleRegistry, 'names'>, name: string, missing: string): string {
  const near = didYouMean(name, registry.names());
  return `Returner ${name}.returner could not be loaded: ${missing}${near} Nothing is written there.`;
}

/** Databases are waited for; not those that somebody has named for one job alone. */
function isKeepable(name: string, ret: Dict): boolean {
  return STORE_KINDS.some((kind) => kind.name === name) && !truthy(ret.get('ret_kwargs'));
}

/** Whoever takes it says what is wrong with the database. */
async function isKept(waiting: WaitingRoom, name: string, ret: Dict, ctx: ModuleContext): Promise<boolean> {
  try {
    await waiting.keep(name, ret);
    return true;
  } catch (error) {
    ctx.log.error(`A return for ${name} could not be kept on this minion: ${messageOf(error)}`, error);
    return false;
  }
}
