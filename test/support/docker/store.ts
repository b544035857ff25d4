/**
 * What the stand-in of a Docker daemon has: images, containers, networks and volumes, in memory and the same in every
 * run.
 */
import { createHash } from 'node:crypto';

/** JSON as it goes over the socket. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A mapping in JSON. */
export type JsonDict = { [key: string]: Json };

/** Refused, with the status and the message of the daemon. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A container. */
export interface Container {
  readonly id: string;
  name: string;
  readonly image: string;
  readonly config: JsonDict;
  readonly host: JsonDict;
  state: 'created' | 'running' | 'paused' | 'exited';
  /** How it is connected, by network. */
  readonly networks: Map<string, JsonDict>;
}

/** An image. */
export interface Image {
  readonly id: string;
  readonly parent: string;
  tags: string[];
  readonly size: number;
}

/** A network. */
export interface Network {
  readonly id: string;
  readonly name: string;
  readonly facts: JsonDict;
}

/** A mapping, whatever is given. */
export function dictOf(value: Json | undefined): JsonDict {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

const CREATED = '2026-01-02T03:04:05.678901234Z';

/** Everything. */
export class DockerStore {
  readonly images = new Map<string, Image>();
  readonly containers = new Map<string, Container>();
  readonly networks = new Map<string, Network>();
  readonly volumes = new Map<string, JsonDict>();
  #made = 0;
  #subnets = 17;

  constructor() {
    this.addImage(['busybox:latest'], 4_000_000);
    this.addImage(['nginx:1.25', 'nginx:latest'], 142_000_000);
    for (const name of ['bridge', 'host', 'none'])
      this.addNetwork({ Name: name, Driver: name === 'none' ? 'null' : name });
  }

  /** An id that depends on how many there were before only. */
  newId(kind: string): string {
    return createHash('sha256').update(`${kind} ${this.#made++}`).digest('hex');
  }

  addImage(tags: string[], size: number): Image {
    for (const image of this.images.values()) image.tags = image.tags.filter((tag) => !tags.includes(tag));
    const id = `sha256:${createHash('sha256')
      .update(`image ${tags[0] ?? ''}`)
      .digest('hex')}`;
    const image: Image = { id, parent: '', tags, size };
    this.images.set(id, image);
    return image;
  }

  image(name: string): Image {
    const tagged = /:[^/]*$/.test(name) ? name : `${name}:latest`;
    const bare = name.replace(/^sha256:/, '');
    for (const image of this.images.values())
      if (
        image.tags.includes(tagged) ||
        image.id === name ||
        (bare.length >= 12 && image.id.startsWith(`sha256:${bare}`))
      )
        return image;
    throw new Refused(404, `No such image: ${tagged}`);
  }

  container(name: string): Container {
    const plain = name.replace(/^\//, '');
    for (const container of this.containers.values())
      if (
        container.name === plain ||
        container.id === plain ||
        (plain.length >= 12 && container.id.startsWith(plain))
      )
        return container;
    throw new Refused(404, `No such container: ${name}`);
  }

  network(name: string): Network {
    for (const network of this.networks.values())
      if (network.name === name || network.id === name) return network;
    throw new Refused(404, `network ${name} not found`);
  }

  addNetwork(given: JsonDict): Network {
    const name = String(given['Name']);
    const ipam = dictOf(given['IPAM']);
    const pools = Array.isArray(ipam['Config']) ? ipam['Config'] : [];
    const isPlain = ['host', 'null'].includes(String(given['Driver']));
    const subnet = isPlain ? 0 : pools.length > 0 ? 0 : this.#subnets++;
    const chosen = [{ Subnet: `172.${subnet}.0.0/16`, Gateway: `172.${subnet}.0.1` }];
    const id = this.newId('network');
    const facts: JsonDict = {
      Name: name,
      Id: id,
      Created: CREATED,
      Scope: 'local',
      Driver: given['Driver'] ?? 'bridge',
      EnableIPv6: given['EnableIPv6'] ?? false,
      IPAM: {
        Driver: ipam['Driver'] ?? 'default',
        Options: ipam['Options'] ?? {},
        Config: pools.length > 0 ? pools : isPlain ? [] : chosen,
      },
      Internal: given['Internal'] ?? false,
      Attachable: given['Attachable'] ?? false,
      Ingress: given['Ingress'] ?? false,
      ConfigFrom: { Network: '' },
      ConfigOnly: false,
      Containers: {},
      Options: given['Options'] ?? {},
      Labels: given['Labels'] ?? {},
    };
    const network: Network = { id, name, facts };
    this.networks.set(id, network);
    return network;
  }

  connect(container: Container, network: Network, endpoint: JsonDict): void {
    // of one that does not run, the daemon only keeps how it is to be connected
    if (container.state === 'running' && container.networks.has(network.name))
      throw new Refused(
        403,
        `endpoint with name ${container.name} already exists in network ${network.name}`,
      );
    container.networks.set(network.name, endpoint);
  }
}
