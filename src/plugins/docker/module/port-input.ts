/**
 * Ports of containers, as `docker run -p` and `--expose` take them (3006.16
 * salt/utils/dockermod/translate/container.py).
 */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, isInt, type Dict, type Value } from '../../../python/values/value.ts';
import { requireIp, splitText, wrong, type TranslateOptions } from './translate.ts';

/** The most ports that one range opens. */
const PORTS_MAX = 65536;

/** The ports of `80` and `80-90`. @throws SaltInvocationError */
function portRange(text: string): number[] {
  const parts = splitText(text, '-');
  const numbers = parts.map((part) => (/^[0-9]{1,5}$/.test(part) ? Number(part) : NaN));
  const [start = NaN, end = start] = numbers;
  if (parts.length > 2 || Number.isNaN(start) || Number.isNaN(end))
    return wrong(`'${text}' is non-numeric or an invalid port range`);
  if (start > end)
    return wrong(`Start of port range (${start}) cannot be greater than end of port range (${end})`);
  return Array.from({ length: Math.min(end - start + 1, PORTS_MAX) }, (_, i) => start + i);
}

const withProtocol = (port: number | string, protocol: string): string =>
  `${port}/${protocol.toLowerCase() === 'udp' ? 'udp' : 'tcp'}`;

/** Ports that a container listens on, as `80/tcp`. */
export function exposedPorts(value: Value): Value {
  const given = Array.isArray(value) ? value : typeof value === 'string' ? splitText(value) : [value];
  const ports = given.flatMap((item): string[] => {
    if (isInt(item)) return [withProtocol(String(item), 'tcp')];
    if (typeof item !== 'string') return wrong(`'${pyStr(item)}' is not a valid port definition`);
    const [range = '', protocol = 'tcp'] = item.split('/', 2);
    return portRange(range).map((port) => withProtocol(port, protocol));
  });
  return [...new Set(ports)];
}

interface Binding {
  readonly port: string;
  readonly ip: string;
  /** Empty: the daemon chooses one. */
  readonly hostPort: string;
}

function hostPorts(range: string, ports: readonly number[], shown: string): string[] {
  const found = portRange(range);
  if (found.length !== ports.length)
    wrong(
      `Host port range (${range}) does not have the same number of ports as the container port range (${shown})`,
    );
  return found.map(String);
}

/** One of `80`, `8080:80`, `10.0.0.1:8080:80` and `10.0.0.1::80`, each with ranges and a protocol. */
function bindingsOf(text: string, { validates }: TranslateOptions): Binding[] {
  const parts = splitText(text, ':');
  const [range = '', protocol = ''] = (parts.at(-1) ?? '').split('/', 2);
  const bind = (ip: string, hosts: (ports: number[]) => string[]): Binding[] => {
    const ports = portRange(range);
    const found = hosts(ports);
    return ports.map((port, i) => ({ port: withProtocol(port, protocol), ip, hostPort: found[i] ?? '' }));
  };
  const [first = '', second = ''] = parts;
  if (parts.length === 1) {
    if (first === '') wrong('Empty port binding definition found');
    return bind('', () => []);
  }
  if (parts.length === 2) {
    if (first === '') wrong(`Empty host port in port binding definition '${text}'`);
    if (second === '') wrong(`Empty container port in port binding definition '${text}'`);
    return bind('', (ports) => hostPorts(first, ports, range));
  }
  if (parts.length > 3)
    wrong(
      `'${text}' is an invalid port binding definition (at most 3 components are allowed, found ${parts.length})`,
    );
  if (validates) requireIp(first);
  return bind(first, (ports) => (second === '' ? [] : hostPorts(second, ports, range)));
}

const hostEnd = (ip: Value, port: Value): Dict =>
  dict({ HostIp: ip, HostPort: port === null ? '' : pyStr(port) });

/** A mapping of ports as docker-py takes it, in the daemon's form. */
function mappedBindings(given: Dict): Dict {
  return new Map(
    [...given].map(([key, value]): [Value, Value] => {
      const port = pyStr(key);
      const ends = (Array.isArray(value) ? value : [value]).map((end) =>
        isDict(end) ? hostEnd(end.get('HostIp') ?? '', end.get('HostPort') ?? '') : hostEnd('', end),
      );
      return [port.includes('/') ? port : `${port}/tcp`, ends];
    }),
  );
}

/** Ports of the host that lead to a container, in the daemon's form: `80/tcp` → list of HostIp and HostPort. */
export function portBindings(value: Value, options: TranslateOptions): Value {
  if (isDict(value)) return mappedBindings(value);
  const given = Array.isArray(value) ? value.map(pyStr) : splitText(pyStr(value));
  const byPort = new Map<string, Binding[]>();
  for (const binding of given.flatMap((text) => bindingsOf(text, options)))
    byPort.set(binding.port, [...(byPort.get(binding.port) ?? []), binding]);
  return new Map(
    [...byPort].map(([port, bindings]): [Value, Value] => [
      port,
      bindings.map(({ ip, hostPort }) => {
        // one of several that names no port of the host gets the container's own
        const isOwn = bindings.length > 1 && hostPort === '' && ip === '';
        return hostEnd(ip, isOwn ? (port.split('/')[0] ?? '') : hostPort);
      }),
    ]),
  );
}
