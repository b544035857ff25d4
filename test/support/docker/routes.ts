/** The requests that the stand-in of a Docker daemon answers. */
import { containerFacts, containerRow, exitCode, imageFacts, imageRow, networkFacts } from './facts.ts';
import { dictOf, Refused, type Container, type DockerStore, type Json, type JsonDict } from './store.ts';

/** One request, with its body already read. */
export interface DaemonCall {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonDict;
}

/** The answer: a status and JSON, or lines of it. */
export interface DaemonAnswer {
  readonly status: number;
  readonly json?: Json;
  readonly lines?: readonly JsonDict[];
  readonly text?: string;
}

const done: DaemonAnswer = { status: 204 };
const said = (json: Json, status = 200): DaemonAnswer => ({ status, json });

function filters(query: URLSearchParams): JsonDict {
  const text = query.get('filters');
  return text === null ? {} : (JSON.parse(text) as JsonDict);
}

/** What the daemon makes of what it is told of a host. */
function hostConfig(given: JsonDict): JsonDict {
  return {
    Binds: null,
    NetworkMode: 'default',
    PortBindings: {},
    RestartPolicy: { Name: '', MaximumRetryCount: 0 },
    AutoRemove: false,
    CapAdd: null,
    Dns: [],
    ExtraHosts: null,
    Links: null,
    Privileged: false,
    PublishAllPorts: false,
    ReadonlyRootfs: false,
    SecurityOpt: null,
    ShmSize: 67108864,
    Memory: 0,
    MemorySwap: 0,
    Devices: [],
    Ulimits: null,
    LogConfig: { Type: 'json-file', Config: {} },
    ...given,
  };
}

function createContainer(store: DockerStore, { query, body }: DaemonCall): DaemonAnswer {
  const image = store.image(String(body['Image']));
  const id = store.newId('container');
  const name = query.get('name') ?? `quirky_${id.slice(0, 8)}`;
  for (const other of store.containers.values())
    if (other.name === name)
      throw new Refused(
        409,
        `Conflict. The container name "/${name}" is already in use by container "${other.id}".`,
      );
  const { HostConfig, NetworkingConfig, ...given } = body;
  const host = hostConfig(dictOf(HostConfig));
  const config: JsonDict = {
    ...given,
    Hostname: given['Hostname'] ?? id.slice(0, 12),
    Domainname: given['Domainname'] ?? '',
    User: given['User'] ?? '',
    Env: [...(Array.isArray(given['Env']) ? given['Env'] : []), 'PATH=/bin'],
    Cmd: given['Cmd'] ?? ['sh'],
    Labels: given['Labels'] ?? {},
    WorkingDir: given['WorkingDir'] ?? '',
    Entrypoint: given['Entrypoint'] ?? null,
    Volumes: given['Volumes'] ?? null,
  };
  const container: Container = {
    ...{ id, name, image: image.id, config, host },
    state: 'created',
    networks: new Map(),
  };
  const mode = String(host['NetworkMode'] ?? 'default');
  const first = mode === 'default' ? 'bridge' : mode;
  const endpoints = dictOf(dictOf(NetworkingConfig)['EndpointsConfig']);
  if (!first.startsWith('container:'))
    container.networks.set(store.network(first).name, dictOf(endpoints[first]));
  store.containers.set(id, container);
  return said({ Id: id, Warnings: [] }, 201);
}

/** What is done to one container. */
function act(container: Container, verb: string | undefined, { query, body }: DaemonCall): DaemonAnswer {
  const isUp = container.state === 'running' || container.state === 'paused';
  switch (verb) {
    case 'start':
      if (isUp) return { status: 304 };
      if (String(container.config['Cmd']).includes('nosuch'))
        throw new Refused(
          400,
          'OCI runtime create failed: exec: "nosuch": executable file not found in $PATH: unknown',
        );
      container.state = /^(true|false|echo)/.test(String(container.config['Cmd'])) ? 'exited' : 'running';
      return done;
    case 'stop':
      if (!isUp) return { status: 304 };
      container.state = 'exited';
      return done;
    case 'restart':
      container.state = 'running';
      return done;
    case 'kill':
      if (!isUp)
        throw new Refused(
          409,
          `Cannot kill container: ${container.name}: Container ${container.id} is not running`,
        );
      if (['', 'KILL', 'SIGKILL', '9'].includes(query.get('signal') ?? '')) container.state = 'exited';
      return done;
    case 'pause':
      container.state = 'paused';
      return done;
    case 'unpause':
      container.state = 'running';
      return done;
    case 'wait':
      container.state = 'exited';
      return said({ StatusCode: exitCode(container.config) });
    case 'rename':
      container.name = query.get('name') ?? '';
      return done;
    default:
      throw new Refused(404, `page not found ${JSON.stringify(body)}`);
  }
}

/** The framed output of a container without a terminal. */
function logs(container: Container): DaemonAnswer {
  const cmd = container.config['Cmd'];
  const words = Array.isArray(cmd) ? cmd.map(String) : [];
  const text = words[0] === 'echo' ? `${words.slice(1).join(' ')}\n` : '';
  const head = Buffer.alloc(8);
  head[0] = 1;
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return { status: 200, text: text === '' ? '' : `${head.toString('latin1')}${text}` };
}

function containers(store: DockerStore, call: DaemonCall): DaemonAnswer {
  const [, name = '', verb] = call.path;
  if (call.method === 'GET' && name === 'json')
    return said([...store.containers.values()].reverse().map(containerRow));
  if (call.method === 'POST' && name === 'create') return createContainer(store, call);
  const container = store.container(name);
  if (call.method === 'GET')
    return verb === 'logs' ? logs(container) : said(containerFacts(store, container));
  if (call.method === 'POST') return act(container, verb, call);
  if (container.state === 'running' && !/true|1/i.test(call.query.get('force') ?? ''))
    throw new Refused(
      409,
      `You cannot remove a running container ${container.id}. Stop the container before attempting removal or force remove`,
    );
  store.containers.delete(container.id);
  return done;
}

function pullImage(store: DockerStore, query: URLSearchParams): DaemonAnswer {
  const name = query.get('fromImage') ?? '';
  const full = `${name}:${query.get('tag') ?? 'latest'}`;
  if (name.includes('nosuch'))
    throw new Refused(
      404,
      `pull access denied for ${name}, repository does not exist or may require 'docker login': denied`,
    );
  if (name.includes('broken'))
    return {
      status: 200,
      lines: [
        { status: `Pulling from ${name}`, id: 'latest' },
        { errorDetail: { message: 'unexpected EOF' }, error: 'unexpected EOF' },
      ],
    };
  const isThere = [...store.images.values()].some(({ tags }) => tags.includes(full));
  if (!isThere) store.addImage([full], 1234567);
  const layers = isThere ? [] : ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'];
  return {
    status: 200,
    lines: [
      { status: `Pulling from ${name}`, id: 'latest' },
      ...(isThere ? [] : [{ status: 'Already exists', progressDetail: {}, id: 'cccccccccccc' }]),
      ...layers.flatMap((id) => [
        { status: 'Downloading', progressDetail: { current: 1, total: 2 }, progress: '[>  ]', id },
        { status: 'Download complete', progressDetail: {}, id },
        { status: 'Pull complete', progressDetail: {}, id },
      ]),
      { status: `Digest: sha256:${'0'.repeat(64)}` },
      { status: `Status: ${isThere ? 'Image is up to date' : 'Downloaded newer image'} for ${full}` },
    ],
  };
}

function images(store: DockerStore, call: DaemonCall): DaemonAnswer {
  const { method, path, query } = call;
  const name = path.slice(1, /^(json|tag|history)$/.test(path.at(-1) ?? '') ? -1 : undefined).join('/');
  if (method === 'GET' && name === '') return said([...store.images.values()].map(imageRow));
  if (method === 'POST' && name === 'create') return pullImage(store, query);
  if (method === 'POST' && name === 'load') {
    store.addImage([], 777);
    return { status: 200, lines: [{ stream: 'Loaded image\n' }] };
  }
  const image = store.image(name);
  if (method === 'GET') return said(imageFacts(image));
  if (method === 'POST') {
    const tag = `${query.get('repo') ?? ''}:${query.get('tag') ?? 'latest'}`;
    for (const other of store.images.values()) other.tags = other.tags.filter((each) => each !== tag);
    image.tags = [...image.tags, tag];
    return { status: 201 };
  }
  const users = [...store.containers.values()].filter((container) => container.image === image.id);
  const isForced = /true|1/i.test(query.get('force') ?? '');
  if (users.length > 0 && !isForced)
    throw new Refused(
      409,
      `conflict: unable to delete ${image.id.slice(7, 19)} (must be forced) - image is being used by stopped container ${users[0]?.id.slice(0, 12) ?? ''}`,
    );
  if (image.tags.length > 1 && !isForced)
    throw new Refused(
      409,
      `conflict: unable to delete ${image.id.slice(7, 19)} (must be forced) - image is referenced in multiple repositories`,
    );
  store.images.delete(image.id);
  return said([...image.tags.map((tag) => ({ Untagged: tag })), { Deleted: image.id }]);
}

function networks(store: DockerStore, call: DaemonCall): DaemonAnswer {
  const { method, path, query, body } = call;
  const [, name = '', verb] = path;
  if (method === 'GET' && name === '') {
    const wanted = filters(query)['name'];
    const rows = [...store.networks.values()].filter(
      (network) => !Array.isArray(wanted) || wanted.includes(network.name),
    );
    return said(rows.map((network) => ({ ...network.facts, Containers: {} })));
  }
  if (method === 'POST' && name === 'create') {
    if (String(body['Driver'] ?? 'bridge').includes('nosuch'))
      throw new Refused(404, 'plugin "nosuch" not found');
    const made = store.addNetwork(body);
    return said({ Id: made.id, Warning: '' }, 201);
  }
  const network = store.network(name);
  if (method === 'GET') return said(networkFacts(store, network));
  if (verb === 'connect') {
    store.connect(store.container(String(body['Container'])), network, dictOf(body['EndpointConfig']));
    return said(null);
  }
  if (verb === 'disconnect') {
    const container = store.container(String(body['Container']));
    if (!container.networks.delete(network.name))
      throw new Refused(403, `container ${container.id} is not connected to network ${network.name}`);
    return said(null);
  }
  if (Object.keys(dictOf(networkFacts(store, network)['Containers'])).length > 0)
    throw new Refused(
      403,
      `error while removing network: network ${network.name} id ${network.id} has active endpoints`,
    );
  store.networks.delete(network.id);
  return done;
}

function volumes(store: DockerStore, call: DaemonCall): DaemonAnswer {
  const { method, path, body } = call;
  const [, name = ''] = path;
  if (method === 'GET' && name === '') return said({ Volumes: [...store.volumes.values()], Warnings: null });
  if (method === 'POST') {
    if (body['Driver'] === 'nosuch')
      throw new Refused(404, 'create x: error looking up volume plugin nosuch: plugin "nosuch" not found');
    const made = String(body['Name']);
    const facts = {
      CreatedAt: '2026-01-02T03:04:05Z',
      Driver: body['Driver'] ?? 'local',
      Labels: null,
      Mountpoint: `/var/lib/docker/volumes/${made}/_data`,
      Name: made,
      Options: body['DriverOpts'] ?? null,
      Scope: 'local',
    };
    store.volumes.set(made, facts);
    return said(facts, 201);
  }
  const volume = store.volumes.get(name);
  if (volume === undefined) throw new Refused(404, `get ${name}: no such volume`);
  if (method === 'GET') return said(volume);
  if (name === 'used') throw new Refused(409, `remove ${name}: volume is in use - [0123]`);
  store.volumes.delete(name);
  return done;
}

function build(store: DockerStore, { query }: DaemonCall): DaemonAnswer {
  const image = store.addImage([query.get('t') ?? ''], 888);
  return {
    status: 200,
    lines: [
      { stream: 'Step 1/1 : FROM scratch\n' },
      { stream: ` ---> Running in 0123456789ab\n` },
      { stream: `Successfully built ${image.id.slice(7, 19)}\n` },
    ],
  };
}

/** Answers one request. @throws Refused */
export function answerCall(store: DockerStore, call: DaemonCall): DaemonAnswer {
  switch (call.path[0]) {
    case 'version':
      return said({
        Version: '24.0.7',
        ApiVersion: '1.43',
        MinAPIVersion: '1.12',
        Os: 'linux',
        Arch: 'amd64',
      });
    case 'info':
      return said({
        ID: 'stand-in',
        Containers: store.containers.size,
        Images: store.images.size,
        Driver: 'overlay2',
      });
    case 'containers':
      return containers(store, call);
    case 'images':
      return images(store, call);
    case 'networks':
      return networks(store, call);
    case 'volumes':
      return volumes(store, call);
    case 'build':
      return build(store, call);
    default:
      throw new Refused(404, 'page not found');
  }
}
