/**
 * Names of the machine that may need the network: fqdn, host, domain, fqdn_ip4, fqdn_ip6, fqdns (salt/grains/core.py).
 */
import { truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { option, type GrainsContext } from '../context.ts';
import { allAddresses, type Interfaces } from './network.ts';

const NO_NAME = 'localhost.localdomain';

/** Look-ups under way, and what they have found so far. */
export interface NameLookups {
  /** Resolves when every look-up has ended; never rejects. */
  readonly settled: Promise<void>;
  /** True once {@link NameLookups.settled} has resolved. */
  isSettled(): boolean;
  /** The grains by what is known now; look-ups that have not answered count as "nothing found". */
  hostname(): Dict;
  fqdns(): Dict;
  fqdnAddresses(): { ip4: string[]; ip6: string[] };
}

/**
 * Starts all look-ups of names at once.
 * @param interfaces the machine's interfaces, whose addresses are looked up for `fqdns`
 * @param previous grains of an earlier collection, to fall back on while a look-up is open
 */
export function startNameLookups(
  ctx: GrainsContext,
  interfaces: Promise<Interfaces>,
  previous: Dict | undefined,
  signal: AbortSignal,
): NameLookups {
  const { names } = ctx.host;
  const { nodename } = ctx.host.uname();
  const before = (key: string): string[] => strings(previous?.get(key));
  const previousFqdn = previous?.get('fqdn');
  let fqdn = typeof previousFqdn === 'string' ? previousFqdn : nodename || NO_NAME;
  let addresses = { ip4: before('fqdn_ip4'), ip6: before('fqdn_ip6') };
  let fqdns = before('fqdns');
  let done = false;

  const forward = async (): Promise<void> => {
    fqdn = (nodename === '' ? undefined : await names.canonicalName(nodename, signal)) || nodename || NO_NAME;
    const known = await interfaces;
    const lookUp = async (family: 4 | 6): Promise<string[]> =>
      allAddresses(known, family, { loopback: true }).length === 0
        ? []
        : names.addresses(fqdn, family, signal);
    const [ip4, ip6] = await Promise.all([lookUp(4), lookUp(6)]);
    addresses = { ip4, ip6 };
  };
  const backward = async (): Promise<void> => {
    fqdns = wantsFqdns(ctx) ? await namesOfAddresses(ctx, await interfaces, signal) : [];
  };
  const settled = Promise.allSettled([forward(), backward()]).then(() => {
    done = true;
  });
  return {
    settled,
    isSettled: () => done,
    hostname: () => hostnameGrains(nodename, fqdn),
    fqdns: () => new Map<Value, Value>([['fqdns', fqdns]]),
    fqdnAddresses: () => addresses,
  };
}

function hostnameGrains(nodename: string, fqdn: string): Dict {
  const dot = fqdn.indexOf('.');
  return new Map<Value, Value>([
    ['localhost', nodename],
    ['fqdn', fqdn],
    ['host', dot < 0 ? fqdn : fqdn.slice(0, dot)],
    ['domain', dot < 0 ? '' : fqdn.slice(dot + 1)],
  ]);
}

function wantsFqdns(ctx: GrainsContext): boolean {
  return truthy(option(ctx, 'enable_fqdns_grains', ctx.host.platform === 'linux'));
}

/** Salt compat: Salt looks each found name up once more for an alias with a dot; we take the aliases we got. */
async function namesOfAddresses(
  ctx: GrainsContext,
  interfaces: Interfaces,
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = ([4, 6] as const).flatMap((family) =>
    allAddresses(interfaces, family, { loopback: false }),
  );
  const found = await Promise.all(addresses.map((address) => ctx.host.names.namesOf(address, signal)));
  const names = found.flatMap((all) => all.find((name) => name.includes('.')) ?? all.slice(0, 1));
  return [...new Set(names)].sort();
}

function strings(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.filter((x) => typeof x === 'string') : [];
}
