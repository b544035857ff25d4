/** `docker_network`: networks of Docker (3006.16 salt/states/docker_network.py). */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ipamConfig, networkInput, takeIpam } from './module/network-input.ts';
import { failure } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { wantedContainers, type WantedContainers } from './state/network-containers.ts';
import { reconnect, removeNetwork, type NetworkProgress } from './state/network-steps.ts';

const NAME = { name: param.text({ doc: 'The network.' }) } as const;
const PRESENT = {
  ...NAME,
  skip_translate: param.value({
    default: null,
    type: 'str or list',
    doc: 'Keywords that are handed on as they are; True: all.',
  }),
  ignore_collisions: param.flag({ default: false, doc: 'Take a keyword under two names.' }),
  validate_ip_addrs: param.flag({ default: true, doc: 'Look at addresses whether they are some.' }),
  containers: param.value({
    default: null,
    type: 'list or str',
    doc: 'Containers that are to be connected.',
  }),
  reconnect: param.flag({
    default: true,
    doc: 'Connect the containers again after the network was made anew.',
  }),
} as const;
type PresentArguments = TypedArguments<typeof PRESENT>;

function resultOf({ name, changes, result, comment, warnings }: NetworkProgress): StateResult {
  return { name, changes, result, comment, ...(warnings.length > 0 ? { warnings } : {}) };
}

function ended(progress: NetworkProgress, result: boolean | null, comment: string): StateResult {
  progress.result = result;
  progress.comment = comment;
  return resultOf(progress);
}

/** The network; undefined where there is none. @throws CommandExecutionError */
async function inspected(ctx: StateContext, name: string): Promise<Dict | undefined> {
  try {
    const found = await ctx.functions.call('docker.inspect_network', [name]);
    return isDict(found) ? found : undefined;
  } catch (error) {
    if (error instanceof CommandExecutionError && error.message.includes('404')) return undefined;
    throw error;
  }
}

/** What the daemon is to be given. */
interface Config {
  readonly options: Dict;
  readonly ipam: Dict;
}

/** @returns a sentence where the keywords mean nothing */
function wantedConfig(args: PresentArguments, kwargs: Dict): Config | string {
  try {
    const options = networkInput(kwargs, {
      skipTranslate: args.skip_translate,
      ignoreCollisions: args.ignore_collisions,
      validates: args.validate_ip_addrs,
    });
    const said = takeIpam(options);
    const whole = said.get('ipam');
    if (whole === undefined) return { options, ipam: ipamConfig(said) };
    if (said.size > 1)
      return "Cannot mix the 'ipam' argument with any of the IPAM config arguments. See documentation for details.";
    return { options, ipam: isDict(whole) ? whole : dict() };
  } catch (error) {
    return messageOf(error);
  }
}

/** The addresses that the daemon has chosen by itself do not count. */
function withoutChosenPool(network: Dict, ipam: Dict): void {
  const own = network.get('IPAM');
  if (!isDict(own)) return;
  const [pools, wanted] = [own.get('Config'), ipam.get('Config')];
  const [pool] = Array.isArray(pools) ? pools : [];
  const isChosen = isDict(pool) && [...pool.keys()].map(pyStr).sort().join() === 'Gateway,Subnet';
  if (!truthy(wanted ?? null) && Array.isArray(pools) && pools.length === 1 && isChosen)
    own.set('Config', []);
}

const BRIDGE_NAME = 'com.docker.network.bridge.name';

/** The options of a network that is only made to be looked at. */
function trialOptions(options: Dict): Dict {
  const out: Dict = new Map([...options].filter(([key]) => key !== 'enable_ipv6'));
  const more = out.get('options');
  const bridge = isDict(more) ? more.get(BRIDGE_NAME) : undefined;
  if (out.get('driver') === 'bridge' && isDict(more) && bridge !== undefined)
    out.set('options', new Map(more).set(BRIDGE_NAME, `${pyStr(bridge)}comp`.slice(-14)));
  return out;
}

/** What is different, as a network made for the comparison shows. @returns a sentence where there could be none */
async function differences(
  ctx: StateContext,
  { network, config, progress }: { network: Dict; config: Config; progress: NetworkProgress },
): Promise<Dict | string> {
  const trial = ctx.random.bytes(10).toString('hex');
  const words = new Map([
    ...trialOptions(config.options),
    ...dict({ skip_translate: true, enable_ipv6: false }),
  ]);
  try {
    await ctx.functions.call('docker.create_network', [trial], words);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return `Failed to create temp network for comparison: ${error.message}`;
  }
  try {
    const made = await ctx.functions.call('docker.inspect_network', [trial]);
    const facts: Dict = new Map(isDict(made) ? made : []);
    facts.set('EnableIPv6', truthy(config.options.get('enable_ipv6') ?? null)).set('IPAM', config.ipam);
    withoutChosenPool(network, config.ipam);
    const ignore = dict({ ignore: 'Name,Id,Created,Containers' });
    const found = await ctx.functions.call('docker.compare_networks', [network, facts], ignore);
    return isDict(found) ? found : dict();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return `Failed to inspect temp network: ${error.message}`;
  } finally {
    try {
      await ctx.functions.call('docker.remove_network', [trial]);
    } catch (error) {
      progress.warnings.push(`Failed to remove temp network '${trial}': ${messageOf(error)}.`);
    }
  }
}

/** What became of a network that was there; a result where that ends the state. */
interface Settled {
  readonly ended?: StateResult;
  readonly isKept: boolean;
  /** The containers that were connected to it, by id. */
  readonly disconnected: Dict;
}

const endedBy = (result: StateResult): Settled => ({ ended: result, isKept: false, disconnected: dict() });

/** Has a network that is there as it is wanted: keeps it, or takes it away. */
async function settleExisting(
  ctx: StateContext,
  network: Dict,
  to: { config: Config; progress: NetworkProgress; containers: WantedContainers; isReconnecting: boolean },
): Promise<Settled> {
  const { config, progress, containers } = to;
  const { name } = progress;
  progress.comment = `Network '${name}' already exists, and is configured as specified`;
  const found = await differences(ctx, { network, config, progress });
  if (typeof found === 'string') return endedBy(ended(progress, false, found));
  if (found.size === 0) return { isKept: true, disconnected: dict() };
  progress.changes.set(name, found);
  if (ctx.state.test) return endedBy(ended(progress, null, 'Network would be recreated with new config'));
  const given = network.get('Containers');
  const disconnected = isDict(given) ? new Map(given) : dict();
  if (!containers.isGiven && to.isReconnecting) await containers.remember(disconnected, name);
  const removed = await removeNetwork(ctx, network);
  if (removed.result !== true) return endedBy(removed);
  network.set('Containers', dict());
  return { isKept: false, disconnected };
}

async function present(ctx: StateContext, args: PresentArguments, kwargs: Dict): Promise<StateResult> {
  const { name } = args;
  const progress: NetworkProgress = { name, changes: dict(), result: false, comment: '', warnings: [] };
  let network: Dict | undefined;
  try {
    network = await inspected(ctx, name);
  } catch (error) {
    return failure(name, messageOf(error));
  }
  const containers = await wantedContainers(ctx, args.containers);
  progress.warnings.push(...containers.warnings);
  const config = wantedConfig(args, kwargs);
  if (typeof config === 'string') return ended(progress, false, config);
  let [isKept, disconnected] = [false, dict()];
  if (network !== undefined) {
    const settled = await settleExisting(ctx, network, {
      ...{ config, progress, containers, isReconnecting: args.reconnect },
    });
    if (settled.ended !== undefined) return settled.ended;
    ({ isKept, disconnected } = settled);
  }
  if (!isKept) {
    if (ctx.state.test) return ended(progress, null, 'Network will be created');
    const failed = await create(ctx, config, progress, network !== undefined);
    if (failed !== undefined) return failed;
  }
  const there = isKept ? network?.get('Containers') : dict();
  const isReconnecting = !containers.isGiven && args.reconnect && disconnected.size > 0;
  const wanted = isReconnecting ? disconnected : containers.running;
  const left = new Map([...wanted].filter(([id]) => !(isDict(there) && there.has(id))));
  if (ctx.state.test && left.size > 0) {
    // Salt compat: Salt connects containers in test mode, too.
    const names = [...left.values()].map((facts) => (isDict(facts) ? pyStr(facts.get('Name') ?? null) : ''));
    return ended(progress, null, `${progress.comment}. Containers would be connected: ${names.join(', ')}`);
  }
  await reconnect(ctx, { name, left, disconnected, progress });
  return resultOf(progress);
}

async function create(
  ctx: StateContext,
  config: Config,
  progress: NetworkProgress,
  isThere: boolean,
): Promise<StateResult | undefined> {
  const { name } = progress;
  const words = new Map([...config.options, ...dict({ ipam: config.ipam, skip_translate: true })]);
  try {
    await ctx.functions.call('docker.create_network', [name], words);
  } catch (error) {
    return ended(progress, false, `Failed to create network '${name}': ${messageOf(error)}`);
  }
  progress.changes.set(isThere ? 'recreated' : 'created', true);
  progress.comment = `Network '${name}' ${isThere ? 'was replaced with updated config' : 'created'}`;
  return undefined;
}

/** The states of `docker_network`. */
export const dockerNetworkStates = defineModule({
  name: 'docker_network',
  file: 'docker_network',
  doc: 'Networks of Docker.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a network, with its options, addresses and containers.',
      params: PRESENT,
      kwargs: 'kwargs',
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such network.',
      params: NAME,
      run: async (ctx, { name }) => {
        let network: Dict | undefined;
        try {
          network = await inspected(ctx, name);
        } catch (error) {
          return failure(name, messageOf(error));
        }
        const made = { name, changes: dict() };
        if (network === undefined)
          return { ...made, result: true, comment: `Network '${name}' already absent` };
        if (ctx.state.test) return { ...made, result: null, comment: `Network '${name}' will be removed` };
        return removeNetwork(ctx, network);
      },
    }),
  },
});
