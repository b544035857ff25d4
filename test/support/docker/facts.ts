/** What the stand-in of a Docker daemon says of what it has, in the words of the Engine API 1.43. */
import {
  dictOf,
  type Container,
  type DockerStore,
  type Image,
  type Json,
  type JsonDict,
  type Network,
} from './store.ts';

const CREATED = '2026-01-02T03:04:05.678901234Z';
const CREATED_SECONDS = 1767323045;

/** `GET /images/{name}/json` */
export function imageFacts({ id, parent, tags, size }: Image): JsonDict {
  return {
    Id: id,
    RepoTags: tags,
    RepoDigests: [],
    Parent: parent,
    Comment: '',
    Created: CREATED,
    Config: { Cmd: ['sh'], Env: ['PATH=/bin'], Entrypoint: null },
    Architecture: 'amd64',
    Os: 'linux',
    Size: size,
    VirtualSize: size,
  };
}

/** One of `GET /images/json` */
export function imageRow({ id, parent, tags, size }: Image): JsonDict {
  return {
    Containers: -1,
    Created: CREATED_SECONDS,
    Id: id,
    Labels: null,
    ParentId: parent,
    RepoDigests: null,
    RepoTags: tags.length > 0 ? tags : null,
    SharedSize: -1,
    Size: size,
    VirtualSize: size,
  };
}

/** How a container is connected to a network. */
function endpointFacts(store: DockerStore, container: Container, name: string, endpoint: JsonDict): JsonDict {
  const network = store.network(name);
  const isUp = container.state === 'running' || container.state === 'paused';
  const ipam = dictOf(network.facts['IPAM']);
  const [pool] = Array.isArray(ipam['Config']) ? ipam['Config'] : [];
  const gateway = String(dictOf(pool ?? null)['Gateway'] ?? '');
  const fixed = dictOf(endpoint['IPAMConfig'] ?? null)['IPv4Address'];
  const nth = [...store.containers.keys()].indexOf(container.id) + 2;
  const address = fixed ?? gateway.replace(/\d+$/, String(nth));
  return {
    IPAMConfig: endpoint['IPAMConfig'] ?? null,
    Links: endpoint['Links'] ?? null,
    Aliases: [
      ...(Array.isArray(endpoint['Aliases']) ? endpoint['Aliases'] : []),
      ...(name === 'bridge' ? [] : [container.id.slice(0, 12)]),
    ],
    NetworkID: network.id,
    EndpointID: isUp ? container.id.slice(0, 32) : '',
    Gateway: isUp ? gateway : '',
    IPAddress: isUp ? address : '',
    IPPrefixLen: isUp ? 16 : 0,
    IPv6Gateway: '',
    GlobalIPv6Address: '',
    GlobalIPv6PrefixLen: 0,
    MacAddress: '',
    DriverOpts: null,
  };
}

/** `GET /containers/{name}/json` */
export function containerFacts(store: DockerStore, container: Container): JsonDict {
  const { id, name, image, config, host, state } = container;
  const networks = Object.fromEntries(
    [...container.networks].map(([network, endpoint]) => [
      network,
      endpointFacts(store, container, network, endpoint),
    ]),
  );
  return {
    Id: id,
    Created: CREATED,
    Path: 'sh',
    Args: [],
    State: {
      Status: state,
      Running: state === 'running' || state === 'paused',
      Paused: state === 'paused',
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: state === 'running' ? 4711 : 0,
      ExitCode: state === 'exited' ? exitCode(config) : 0,
      Error: '',
    },
    Image: image,
    Name: `/${name}`,
    RestartCount: 0,
    Driver: 'overlay2',
    HostConfig: host,
    Config: config,
    NetworkSettings: { Bridge: '', Ports: host['PortBindings'] ?? {}, Networks: networks },
  };
}

/** What a container ends with: `false` fails. */
export function exitCode(config: JsonDict): number {
  const [first] = Array.isArray(config['Cmd']) ? config['Cmd'] : [];
  return first === 'false' ? 1 : 0;
}

/** One of `GET /containers/json` */
export function containerRow({ id, name, image, config, state }: Container): JsonDict {
  const status = {
    created: 'Created',
    running: 'Up 5 minutes',
    paused: 'Up 5 minutes (Paused)',
    exited: 'Exited (0) 5 minutes ago',
  };
  return {
    Id: id,
    Names: [`/${name}`],
    Image: config['Image'] ?? '',
    ImageID: image,
    Command: 'sh',
    Created: CREATED_SECONDS,
    Ports: [],
    Labels: config['Labels'] ?? {},
    State: state,
    Status: status[state],
  };
}

/** `GET /networks/{name}` */
export function networkFacts(store: DockerStore, network: Network): JsonDict {
  const containers = [...store.containers.values()]
    .filter(
      ({ networks, state }) => networks.has(network.name) && (state === 'running' || state === 'paused'),
    )
    .map((container): [string, Json] => {
      const endpoint = endpointFacts(
        store,
        container,
        network.name,
        container.networks.get(network.name) ?? {},
      );
      const facts = {
        Name: container.name,
        EndpointID: endpoint['EndpointID'] ?? '',
        MacAddress: '',
        IPv4Address: `${String(endpoint['IPAddress'])}/16`,
        IPv6Address: '',
      };
      return [container.id, facts];
    });
  return { ...network.facts, Containers: Object.fromEntries(containers) };
}
