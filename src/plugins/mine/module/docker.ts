/** `mine.get_docker`: where containers can be reached, from the mine's `docker.ps` (3006.16 salt/modules/mine.py). */
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** Which addresses of hosts count. */
export interface DockerChoice {
  /** Interfaces; undefined for all. */
  readonly interfaces: readonly Value[] | undefined;
  /** Whether an address is in one of the wanted networks. */
  readonly isWanted: (address: string) => boolean;
  readonly withContainerId: boolean;
}

const part = (value: Value | undefined, key: string): Dict => {
  const inner = isDict(value) ? value.get(key) : undefined;
  return isDict(inner) ? inner : new Map();
};

/** @param hosts minion to what `docker.ps` gave there */
export function dockerAddresses(hosts: Dict, choice: DockerChoice): Dict {
  const out: Dict = new Map();
  for (const containers of hosts.values()) {
    if (!isDict(containers)) continue;
    const addresses = hostAddresses(part(part(containers, 'host'), 'interfaces'), choice);
    for (const [name, container] of containers) {
      if (name !== 'host' && isDict(container))
        addContainer(out, container, addresses, choice.withContainerId);
    }
  }
  return out;
}

function hostAddresses(interfaces: Dict, { interfaces: wanted, isWanted }: DockerChoice): string[] {
  const chosen =
    wanted === undefined ? [...interfaces.values()] : wanted.map((name) => interfaces.get(name) ?? null);
  const found = chosen.flatMap((one) => {
    const inet = isDict(one) ? one.get('inet') : undefined;
    return (Array.isArray(inet) ? inet : []).flatMap((each) =>
      isDict(each) && typeof each.get('address') === 'string' ? [each.get('address') as string] : [],
    );
  });
  return [...new Set(found)].filter(isWanted);
}

function addContainer(out: Dict, container: Dict, hosts: readonly string[], withId: boolean): void {
  const id = part(container, 'Info').get('Id') ?? null;
  const image = container.get('Image') ?? null;
  const image_ = (out.get(image) as Dict | undefined) ?? new Map<Value, Value>();
  out.set(image, image_);
  const ports = container.get('Ports');
  for (const port of Array.isArray(ports) ? ports.filter(isDict) : []) {
    const address = port.get('IP');
    if (typeof address !== 'string' || address === '') continue;
    for (const host of address === '0.0.0.0' ? hosts : [address]) {
      const place = `${host}:${String(port.get('PublicPort') ?? null)}`;
      const value: Value = withId ? [place, id] : place;
      const byPort = (image_.get('ipv4') as Dict | undefined) ?? new Map<Value, Value>();
      image_.set('ipv4', byPort);
      const list = (byPort.get(port.get('PrivatePort') ?? null) as Value[] | undefined) ?? [];
      const isKnown = list.some((each) => String(each) === String(value));
      byPort.set(port.get('PrivatePort') ?? null, isKnown ? list : [...list, value]);
    }
  }
}
