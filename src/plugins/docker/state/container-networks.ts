/** The networks of a container as the SLS has them (3006.16 salt/states/docker_container.py `_parse_networks`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { repackList } from '../../../formats/data/repack-list.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

const texts = (value: Value): string[] =>
  Array.isArray(value)
    ? value.map(pyStr)
    : pyStr(value)
        .split(',')
        .map((part) => part.trim());

/** A mapping out of a list of names and one-key mappings, of a mapping or of a text with commas. */
function mapped(value: Value): Dict | undefined {
  if (isDict(value)) return value;
  return repackList(Array.isArray(value) ? value : texts(value));
}

function networkConfig(name: Value, given: Value): Dict {
  if (given === null) return new Map();
  const config = mapped(given);
  if (config === undefined || config.size === 0)
    throw new CommandExecutionError(`Invalid configuration for network '${pyStr(name)}' (see documentation)`);
  return new Map(
    [...config].map(([key, value]): [Value, Value] => [
      key,
      key === 'links' || key === 'aliases' ? texts(value) : value,
    ]),
  );
}

/** Reads the networks. @throws CommandExecutionError for what means nothing, and for networks that are not there */
export async function containerNetworks(ctx: StateContext, given: Value): Promise<Dict> {
  if (!truthy(given)) return new Map();
  const found = mapped(given);
  if (found === undefined || found.size === 0)
    throw new CommandExecutionError('Invalid network configuration (see documentation)');
  const networks: Dict = new Map([...found].map(([name, config]) => [name, networkConfig(name, config)]));
  const errors = [...networks].flatMap(([name, config]) =>
    [...(isDict(config) ? config : [])]
      .filter(([, value]) => value === null)
      .map(([key]) => `Config option '${pyStr(key)}' for network '${pyStr(name)}' is missing a value`),
  );
  if (errors.length > 0)
    throw new CommandExecutionError(errors.length > 1 ? `${errors.join('. ')}.` : errors.join());
  const known = await ctx.functions.call('docker.networks');
  const names = (Array.isArray(known) ? known : []).map((one) => (isDict(one) ? one.get('Name') : undefined));
  const missing = [...networks.keys()].filter((name) => !names.includes(name)).map(pyStr);
  if (missing.length > 0)
    throw new CommandExecutionError(`The following networks are not present: ${missing.sort().join(', ')}`);
  return networks;
}
