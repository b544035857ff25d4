/** `docker`: what containers, images, networks and volumes are. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { dict, truthy, type Dict } from '../../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { param } from '../../../../runtime/loader/params.ts';
import {
  containerExists,
  containerNames,
  containerState,
  inspectContainer,
  listed,
} from '../container-facts.ts';
import { askForDict, askForValue, DaemonRefusal, filterText } from '../daemon.ts';
import { inspectImage } from '../images.ts';
import { inspectNetwork } from '../networks.ts';
import { daemonVersion } from '../version.ts';

const CONTAINER = { name: param.text({ doc: 'The container: its name or id.' }) } as const;
const FACTS = 'what the daemon knows, a mapping';

const inspectVolume = (ctx: ModuleContext, name: string): Promise<Dict> =>
  askForDict(ctx, { path: ['volumes', name] });

/** What something of any kind is. */
async function inspectAny(ctx: ModuleContext, name: string): Promise<Dict> {
  for (const look of [inspectContainer, inspectImage, inspectVolume, inspectNetwork])
    try {
      return await look(ctx, name);
    } catch (error) {
      if (!(error instanceof DaemonRefusal) || error.status !== 404) throw error;
    }
  throw new CommandExecutionError(`Error 404: No such image/container/volume/network: ${name}`);
}

/** Functions that change nothing. */
export const inspectFunctions = {
  version: defineFunction({
    doc: 'Returns the version of the Docker daemon.',
    returns: 'what the daemon says, with VersionInfo and ApiVersionInfo as lists of numbers',
    examples: ["salt '*' docker.version"],
    run: (ctx) => daemonVersion(ctx),
  }),
  info: defineFunction({
    doc: 'Returns what the Docker daemon says of itself.',
    returns: FACTS,
    examples: ["salt '*' docker.info"],
    run: (ctx) => askForDict(ctx, { path: ['info'] }),
  }),
  inspect: defineFunction({
    doc: 'Returns what a container, an image, a volume or a network is.',
    params: { name: param.text({ doc: 'Its name or id.' }) },
    returns: FACTS,
    examples: ["salt '*' docker.inspect mycontainer"],
    run: (ctx, { name }) => inspectAny(ctx, name),
  }),
  inspect_container: defineFunction({
    doc: 'Returns what a container is.',
    params: CONTAINER,
    returns: FACTS,
    examples: ["salt '*' docker.inspect_container mycontainer"],
    run: (ctx, { name }) => inspectContainer(ctx, name),
  }),
  inspect_volume: defineFunction({
    doc: 'Returns what a volume is.',
    params: { name: param.text({ doc: 'The volume.' }) },
    returns: FACTS,
    examples: ["salt '*' docker.inspect_volume my_volume"],
    run: (ctx, { name }) => inspectVolume(ctx, name),
  }),
  exists: defineFunction({
    doc: 'Returns whether there is a container.',
    params: CONTAINER,
    returns: 'true or false',
    examples: ["salt '*' docker.exists mycontainer"],
    run: (ctx, { name }) => containerExists(ctx, name),
  }),
  state: defineFunction({
    doc: 'Returns whether a container runs.',
    params: CONTAINER,
    returns: 'running, paused or stopped',
    examples: ["salt '*' docker.state mycontainer"],
    run: (ctx, { name }) => containerState(ctx, name),
  }),
  ps: defineFunction({
    doc: 'Lists the containers that run.',
    params: { filters: param.mapping({ default: null, doc: 'Filters of the daemon.' }) },
    kwargs: 'kwargs',
    returns:
      'mapping of id to facts; `all` lists stopped ones, too, `verbose` tells more, `host` adds addresses',
    examples: ["salt '*' docker.ps", "salt '*' docker.ps all=True"],
    run: async (ctx, { filters }, _rest, kwargs) => {
      const isSaid = (name: string): boolean => truthy(kwargs.get(name) ?? null);
      const found = await listed(ctx, { isAll: isSaid('all'), isVerbose: isSaid('verbose'), filters });
      if (!isSaid('host')) return found;
      return found.set('host', dict({ interfaces: await ctx.functions.call('network.interfaces') }));
    },
  }),
  list_containers: defineFunction({
    doc: 'Lists the names of the containers that run.',
    params: { all: param.flag({ default: false, doc: 'Stopped ones, too.' }) },
    kwargs: 'kwargs',
    returns: 'list of names',
    examples: ["salt '*' docker.list_containers all=True"],
    run: (ctx, { all }) => containerNames(ctx, all),
  }),
  volumes: defineFunction({
    doc: 'Lists the volumes.',
    params: { filters: param.mapping({ default: null, doc: 'Filters of the daemon.' }) },
    returns: 'mapping with Volumes',
    examples: [`salt '*' docker.volumes filters="{'dangling': True}"`],
    run: (ctx, { filters }) =>
      askForValue(ctx, { path: ['volumes'], query: { filters: filterText(filters) } }),
  }),
};
