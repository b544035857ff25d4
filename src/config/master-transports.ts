/**
 * The transports of a master, each with the options it is served with (salt/utils/channel.py `iter_transport_opts`,
 * 3006.16).
 */
import { ConfigError } from '../errors/errors.ts';
import { isDict, type Value } from '../python/values/value.ts';
import type { MasterOptions } from './master-options.ts';

/** One transport of a master. */
export interface MasterTransport {
  readonly name: string;
  /** The master's options with what `transport_opts` says for this transport. */
  readonly opts: MasterOptions;
}

/**
 * The transport that `transport` names, then the others of `transport_opts`.
 * @throws ConfigError when an entry is no mapping, or two transports would listen on the same port
 */
export function masterTransports(opts: MasterOptions): readonly [MasterTransport, ...MasterTransport[]] {
  const overrides = opts.get('transport_opts');
  const name = opts.get('transport');
  const first = { name, opts: withOverrides(opts, name, overrides.get(name)) };
  const others = [...overrides]
    .filter(([other]) => other !== name)
    .map(([other, own]) => ({ name: String(other), opts: withOverrides(opts, String(other), own) }));
  requireOwnPorts([first, ...others]);
  return [first, ...others];
}

function withOverrides(opts: MasterOptions, name: string, own: Value | undefined): MasterOptions {
  if (own !== undefined && own !== null && !isDict(own))
    throw new ConfigError(`The entry '${name}' of transport_opts takes a mapping of options.`);
  const changes = new Map<Value, Value>(isDict(own) ? own : []);
  changes.set('transport', name);
  return opts.with(changes);
}

function requireOwnPorts(transports: readonly MasterTransport[]): void {
  const taken = new Map<string, string>();
  for (const { name, opts } of transports) {
    for (const option of ['publish_port', 'ret_port'] as const) {
      const where = `${opts.get('interface')}:${opts.get(option)}`;
      const other = taken.get(where);
      if (other !== undefined)
        throw new ConfigError(
          `The ${option} of the transport ${name} is ${where}, which is ${other} already. ` +
            `Give it one of its own in transport_opts: ${name}: ${option}.`,
        );
      taken.set(where, `the ${option} of ${name}`);
    }
  }
}
