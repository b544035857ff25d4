/** `network`: interfaces, routes and what holds for the whole system (3006.16 salt/states/network.py). */
import { messageOf } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { findProgram } from '../../host/which.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { unifiedDiff } from '../../python/text/unified-diff.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isSettingError, pythonWords } from './module/settings.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { runText } from '../shared/program.ts';

/** How the parts of results name what is managed. */
interface Words {
  readonly upToDate: string;
  readonly added: string;
  readonly toAdd: string;
  readonly updated: string;
  readonly toUpdate: string;
  /** The key in the changes, and what it says of something new. */
  readonly key: string;
  readonly newKey: string;
}

function interfaceWords(
  name: string,
  what = 'Interface',
  key = 'interface',
  newKey = 'Added network interface.',
): Words {
  const subject = `${what} ${name}`;
  return {
    ...{ upToDate: `Interface ${name} is up to date.`, key, newKey },
    ...{ added: `${subject} added.`, toAdd: `${subject} is set to be added.` },
    ...{ updated: `${subject} updated.`, toUpdate: `${subject} is set to be updated:` },
  };
}

function routeWords(name: string): Words {
  const subject = `Interface ${name} routes`;
  return {
    ...{
      upToDate: `${subject} are up to date.`,
      key: 'network_routes',
      newKey: `Added interface ${name} routes.`,
    },
    ...{ added: `${subject} added.`, toAdd: `${subject} are set to be added.` },
    ...{ updated: `${subject} updated.`, toUpdate: `${subject} are set to be updated:` },
  };
}

const SYSTEM_WORDS: Words = {
  upToDate: 'Global network settings are up to date.',
  added: 'Global network settings are up to date.',
  updated: 'Global network settings are up to date.',
  toAdd: 'Global network settings are set to be added.',
  toUpdate: 'Global network settings are set to be updated:',
  key: 'network_settings',
  newKey: 'Added global network settings.',
};

/** The lines of files before and after. */
interface Versions {
  readonly old: Value;
  readonly new: Value;
}

/** How files come to be: what is there, and what is written. */
type Build = () => Promise<Versions>;

/** A state's result while it is made. */
type Draft = { -readonly [K in 'name' | 'result' | 'comment']: StateResult[K] } & {
  readonly changes: Dict;
  warnings?: Value;
};

function differenceOf(versions: Versions): string {
  const lines = (value: Value): string[] => (Array.isArray(value) ? value.map(pyStr) : []);
  return unifiedDiff(lines(versions.old), lines(versions.new), { from: '', to: '' }, 3)
    .map((line, i) => (i < 2 || line.startsWith('@@') ? line.replace(/\n$/, '') : line))
    .join('\n');
}

/** Has files written and tells of it. @returns whether they have changed, or would */
async function compare(ctx: StateContext, draft: Draft, words: Words, build: Build): Promise<boolean> {
  const versions = await build();
  if (valuesEqual(versions.old, versions.new)) return false;
  const isNew = !truthy(versions.old) && truthy(versions.new);
  if (ctx.state.test) {
    draft.result = null;
    draft.comment = isNew ? words.toAdd : `${words.toUpdate}\n${differenceOf(versions)}`;
    return true;
  }
  draft.comment = isNew ? words.added : words.updated;
  draft.changes.set(words.key, isNew ? words.newKey : differenceOf(versions));
  return true;
}

function toResult({ name, changes, result, comment, warnings }: Draft): StateResult {
  return { ...outcome(name, result, comment, changes), ...(warnings === undefined ? {} : { warnings }) };
}

/** A draft is done, or a wrong setting ends it. @throws whatever is no wrong setting */
async function told(draft: Draft, run: () => Promise<unknown>): Promise<StateResult> {
  try {
    await run();
  } catch (error) {
    if (!isSettingError(error)) throw error;
    draft.result = false;
    draft.comment = error.message;
  }
  return toResult(draft);
}

/** Calls of `ip`, old and new, with the mode of test among the settings. */
function builtBy(
  ctx: StateContext,
  read: readonly [fun: string, args: readonly Value[]],
  build: readonly [fun: string, args: readonly Value[], settings: Dict],
): Build {
  return async () => {
    const old = await ctx.functions.call(`ip.${read[0]}`, read[1]);
    const settings = new Map(build[2]).set('test', ctx.state.test);
    return { old, new: await ctx.functions.call(`ip.${build[0]}`, build[1], settings) };
  };
}

interface ManagedInterface {
  readonly name: string;
  readonly type: string;
  readonly isEnabled: boolean;
  readonly settings: Dict;
}

/** Takes the type and an old name of the hardware address out of the settings. */
function readManaged(name: string, isEnabled: boolean, given: Dict, draft: Draft): ManagedInterface {
  const settings = new Map(given);
  const type = pyStr(settings.get('type') ?? (settings.has('type') ? null : 'eth'));
  settings.delete('type');
  const address = settings.get('addr');
  if (address !== undefined) {
    settings.delete('addr');
    const isGiven = settings.has('hwaddr');
    if (!isGiven) settings.set('hwaddr', address);
    const fate = isGiven
      ? "it has been ignored in favor of 'hwaddr'."
      : "its value has been assigned to 'hwaddr' instead.";
    draft.warnings = [
      `'addr' is not a valid argument name, ${fate} Update your SLS file to get rid of this warning.`,
    ];
  }
  return { name, type, isEnabled, settings };
}

async function managed(ctx: StateContext, draft: Draft, wanted: ManagedInterface): Promise<void> {
  const { name, type, isEnabled, settings } = wanted;
  const build = builtBy(
    ctx,
    ['get_interface', [name]],
    ['build_interface', [name, type, isEnabled], settings],
  );
  let isChanged = await compare(ctx, draft, interfaceWords(name), build);
  if (type === 'source') return;
  if (type === 'bond' && (await ctx.functions.has('ip.get_bond'))) {
    const words = interfaceWords(name, 'Bond interface', 'bond', `Added bond ${name}.`);
    const bond = builtBy(ctx, ['get_bond', [name]], ['build_bond', [name], settings]);
    isChanged = (await compare(ctx, draft, words, bond)) || isChanged;
  }
  if (ctx.state.test) return;
  if (name.includes('range')) {
    await restartForRange(ctx, draft, isChanged);
    return;
  }
  let isUp: boolean;
  try {
    isUp = await isInterfaceUp(ctx, name);
    await switchInterface(ctx, draft, wanted, isUp);
  } catch (error) {
    draft.result = false;
    draft.comment = messageOf(error);
    return;
  }
  await enslave(ctx, draft, wanted);
  if (!(isEnabled && isUp)) await ctx.functions.call('saltutil.refresh_grains');
}

/** Interfaces that are many under one name, as Red Hat has them, need the whole service anew. */
async function restartForRange(ctx: StateContext, draft: Draft, isChanged: boolean): Promise<void> {
  draft.result = true;
  draft.comment = 'no change, passing it';
  if (!isChanged) return;
  draft.result = truthy(await ctx.functions.call('service.restart', ['network']));
  draft.comment = 'network restarted for change of ranged interfaces';
}

/** Whether an interface, or one of the labels of addresses, is up. */
async function isInterfaceUp(ctx: StateContext, name: string): Promise<boolean> {
  const interfaces = await ctx.functions.call('network.interfaces');
  if (!isDict(interfaces)) return false;
  const own = interfaces.get(name);
  if (own !== undefined) return isDict(own) && truthy(own.get('up'));
  const hasLabel = (list: Value | undefined): boolean =>
    Array.isArray(list) && list.some((each) => isDict(each) && each.get('label') === name);
  return [...interfaces].some(([iface, each]) => {
    if (!isDict(each)) return false;
    const isLoopback =
      iface === 'lo' &&
      ['inet', 'inet6'].some((family) => {
        const list = each.get(family);
        return Array.isArray(list) && list.length > 1 && hasLabel(list);
      });
    return hasLabel(each.get('secondary')) || isLoopback;
  });
}

async function switchInterface(
  ctx: StateContext,
  draft: Draft,
  { name, type, isEnabled, settings }: ManagedInterface,
  isUp: boolean,
): Promise<void> {
  if (settings.has('noifupdown')) return;
  const act = (fun: string): Promise<Value> => ctx.functions.call(`ip.${fun}`, [name, type]);
  if (!isEnabled) {
    if (!isUp) return;
    await act('down');
    draft.changes.set('status', `Interface ${name} down`);
  } else if (!isUp) {
    await act('up');
    draft.changes.set('status', `Interface ${name} is up`);
  } else if (draft.changes.size > 0) {
    await act('down');
    await act('up');
    draft.changes.set('status', `Interface ${name} restart to validate`);
  }
}

/** Gives a bond the interfaces that it does not have yet. */
async function enslave(
  ctx: StateContext,
  draft: Draft,
  { name, type, settings }: ManagedInterface,
): Promise<void> {
  const slaves = settings.get('slaves');
  if (type !== 'bond' || settings.has('noifupdown') || !truthy(slaves) || slaves === undefined) return;
  const wanted = Array.isArray(slaves) ? slaves.map(pyStr) : pythonWords(pyStr(slaves));
  const present = pythonWords(readTextIfExists(`/sys/class/net/${name}/bonding/slaves`) ?? '');
  const missing = [...new Set(wanted)].filter((slave) => !present.includes(slave));
  if (missing.length === 0 || ctx.grains.get('os_family') === 'Suse') return;
  const program = findProgram('ifenslave');
  if (program === undefined) ctx.log.error("Command 'ifenslave' not found");
  else await runText(ctx, [program, name, ...missing]);
  draft.changes.set('enslave', `Added slaves '${missing.join(' ')}' to master '${name}'`);
}

async function routes(ctx: StateContext, draft: Draft, name: string, settings: Dict): Promise<void> {
  const build = builtBy(ctx, ['get_routes', [name]], ['build_routes', [name], settings]);
  const isChanged = await compare(ctx, draft, routeWords(name), build);
  if (isChanged && !ctx.state.test)
    await ctx.functions.call('ip.apply_network_settings', [], new Map(settings).set('test', false));
}

async function system(ctx: StateContext, draft: Draft, settings: Dict): Promise<void> {
  const build = builtBy(ctx, ['get_network_settings', []], ['build_network_settings', [], settings]);
  const isChanged = await compare(ctx, draft, SYSTEM_WORDS, build);
  if (isChanged && !ctx.state.test)
    await ctx.functions.call('ip.apply_network_settings', [], new Map(settings).set('test', false));
}

function draftOf(name: string, comment: string): Draft {
  return { name, changes: dict(), result: true, comment };
}

const NAME = param.text({ doc: 'The interface.' });

/** The states of `network`. */
export const networkStates = defineModule({
  name: 'network',
  file: 'network',
  doc: 'Interfaces, routes, and what holds for the network of the whole system.',
  needs: { fun: 'ip.get_interface', otherwise: 'ip module could not be loaded' },
  functions: {
    managed: defineState({
      doc: 'Makes sure that an interface is configured, and up or down. Its keywords are the settings of the interface: `type`, `proto`, `ipaddr` …',
      params: {
        name: NAME,
        enabled: param.flag({ default: true, doc: 'Whether it is up, and comes up at boot.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, { name, enabled }, kwargs) => {
        const draft = draftOf(name, interfaceWords(name).upToDate);
        return told(draft, () => managed(ctx, draft, readManaged(name, enabled, kwargs, draft)));
      },
    }),
    routes: defineState({
      doc: 'Makes sure that an interface has its routes: `routes`, a list of mappings with `ipaddr`, `netmask`, `gateway`, `metric` and `name`.',
      params: { name: NAME },
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => {
        const draft = draftOf(name, routeWords(name).upToDate);
        return told(draft, () => routes(ctx, draft, name, kwargs));
      },
    }),
    system: defineState({
      doc: 'Makes sure that the network of the whole system has its settings: `enabled`, `hostname`, `apply_hostname`, `require_reboot` …',
      params: { name: param.text({ doc: 'Any name.' }) },
      kwargs: 'kwargs',
      run: async (ctx, { name }, kwargs) => {
        const draft = draftOf(name, SYSTEM_WORDS.upToDate);
        try {
          return await told(draft, () => system(ctx, draft, kwargs));
        } catch (error) {
          if (!(error instanceof PythonError) || error.type !== 'KeyError') throw error;
          return failure(name, error.message);
        }
      },
    }),
  },
});
