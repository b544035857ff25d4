/** Open connections, neighbours and ways. Follows 3006.16 salt/modules/network.py (Linux). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { runText } from '../../shared/program.ts';
import { ipAddressText, ipNetwork, netmask } from '../../../python/ipaddress.ts';
import { addressOfHex } from '../../shared/proc-address.ts';

const words = (line: string): string[] => line.trim().split(/\s+/);

/** `network.netstat` */
export async function netstat(ctx: ModuleContext): Promise<Dict[]> {
  if (findProgram('netstat') === undefined) return socketStatistics(ctx);
  const lines = splitLines(await runText(ctx, ['netstat', '-tulpnea']));
  return lines.flatMap((line) => {
    const [proto = '', received = '', sent = '', local = '', remote = '', ...rest] = words(line);
    const state = proto.startsWith('tcp') ? rest.shift() : undefined;
    if (!/^(tcp|udp)/.test(line)) return [];
    const [user = '', inode = '', program = ''] = rest;
    return [entry({ proto, received, sent, local, remote, state, user, inode, program })];
  });
}

interface Connection {
  readonly proto: string;
  readonly received: string;
  readonly sent: string;
  readonly local: string;
  readonly remote: string;
  readonly state: string | undefined;
  readonly user: Value;
  readonly inode: Value;
  readonly program: string;
}

function entry(c: Connection): Dict {
  const out = new Map<Value, Value>([
    ['proto', c.proto],
    ['recv-q', c.received],
    ['send-q', c.sent],
    ['local-address', c.local],
    ['remote-address', c.remote],
  ]);
  if (c.state !== undefined) out.set('state', c.state);
  return out.set('user', c.user).set('inode', c.inode).set('program', c.program);
}

async function socketStatistics(ctx: ModuleContext): Promise<Dict[]> {
  const lines = splitLines(await runText(ctx, ['ss', '-tulpnea'])).filter((line) => /^(tcp|udp)/.test(line));
  return lines.map((line) => {
    const [proto = '', state = '', received = '', sent = '', local = '', remote = '', ...fields] =
      words(line);
    const field = (name: string): string | undefined =>
      fields.find((item) => item.startsWith(`${name}:`))?.split(':')[1];
    return entry({
      proto,
      received,
      sent,
      local,
      remote,
      state: proto.startsWith('tcp') ? (state === 'ESTAB' ? 'ESTABLISHED' : state) : undefined,
      user: field('uid') ?? 0,
      inode: field('ino') ?? 0,
      program: field('users')?.split('"')[1] ?? '',
    });
  });
}

/** `network.active_tcp`: established connections. */
export function activeTcp(): Dict {
  const out: Dict = new Map();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of splitLines(readTextIfExists(file) ?? '').slice(1)) {
      const [, local = '', remote = '', state = ''] = words(line);
      if (parseInt(state, 16) !== 1) continue;
      const end = (text: string): [string, number] => {
        const [address = '', port = ''] = text.split(':');
        return [addressOfHex(address), parseInt(port, 16)];
      };
      const [[localAddress, localPort], [remoteAddress, remotePort]] = [end(local), end(remote)];
      out.set(
        out.size,
        dict({
          local_addr: localAddress,
          local_port: localPort,
          remote_addr: remoteAddress,
          remote_port: remotePort,
        }),
      );
    }
  }
  return out;
}

/** `network.arp` */
export async function neighbours(ctx: ModuleContext): Promise<Dict> {
  const rows = splitLines(await runText(ctx, ['arp', '-an']))
    .map(words)
    .filter((row) => row.length >= 4);
  return new Map(rows.map((row) => [row[3] ?? '', (row[1] ?? '').replace(/^[()]+|[()]+$/g, '')]));
}

function route(family: string, fields: readonly string[]): Dict {
  const [destination = '', gateway = '', netmask = '', flags = '', name = ''] = fields;
  return dict({ addr_family: family, destination, gateway, netmask, flags, interface: name });
}

/** `network.routes` */
export async function routes(ctx: ModuleContext, family: string | undefined): Promise<Dict[]> {
  assertFamily(family);
  const all = findProgram('netstat') === undefined ? await ipRoutes(ctx) : await netstatRoutes(ctx);
  return family === undefined ? all : all.filter((entry) => entry.get('addr_family') === family);
}

function assertFamily(family: string | undefined): void {
  if (family !== undefined && family !== 'inet' && family !== 'inet6')
    throw new CommandExecutionError(`Invalid address family ${family}`);
}

async function netstatRoutes(ctx: ModuleContext): Promise<Dict[]> {
  const rows = async (family: string): Promise<string[][]> =>
    splitLines(await runText(ctx, ['netstat', '-A', family, '-rn']))
      .slice(2)
      .map(words);
  const out: Dict[] = [];
  for (const row of await rows('inet'))
    out.push(route('inet', [row[0] ?? '', row[1] ?? '', row[2] ?? '', row[3] ?? '', row[7] ?? '']));
  for (const row of await rows('inet6')) {
    if (row.length !== 6 && row.length !== 7) continue;
    out.push(route('inet6', [row[0] ?? '', row[1] ?? '', '', row[2] ?? '', row.at(-1) ?? '']));
  }
  return out;
}

const KINDS = 'unicast broadcast throw unreachable prohibit blackhole nat anycast multicast'.split(' ');

async function ipRoutes(ctx: ModuleContext): Promise<Dict[]> {
  const out: Dict[] = [];
  const device = (row: readonly string[], at: number): string =>
    row[at] === 'dev' ? (row[at + 1] ?? '') : '';
  for (const row of splitLines(await runText(ctx, ['ip', '-4', 'route', 'show', 'table', 'main'])).map(
    words,
  )) {
    if (row[0] === 'unreachable' || row[0] === undefined) continue;
    if (row[0] === 'default') {
      out.push(route('inet', ['0.0.0.0', row[2] ?? '', '0.0.0.0', 'UG', device(row, 3)]));
    } else {
      const network = ipNetwork(row[0], false);
      const address = ipAddressText(network.address);
      out.push(route('inet', [address, '0.0.0.0', ipAddressText(netmask(network)), 'U', device(row, 1)]));
    }
  }
  for (const row of splitLines(await runText(ctx, ['ip', '-6', 'route', 'show', 'table', 'all'])).map(
    words,
  )) {
    const [first = ''] = row;
    if (KINDS.includes(first) || first === '') continue;
    if (first === 'default') out.push(route('inet6', ['::/0', row[2] ?? '', '', 'UG', device(row, 3)]));
    else if (first === 'local')
      out.push(route('inet6', [`${row[1] ?? ''}/128`, '::', '', 'U', device(row, 2)]));
    else out.push(route('inet6', [first, '::', '', 'U', device(row, 1)]));
  }
  return out;
}

/** `network.default_route` */
export async function defaultRoutes(ctx: ModuleContext, family: string | undefined): Promise<Dict[]> {
  const wanted = family === 'inet' ? ['0.0.0.0', 'default'] : ['::/0', 'default'];
  const names = family === undefined ? ['0.0.0.0', '::/0', 'default'] : wanted;
  return (await routes(ctx, family)).filter((entry) => names.includes(pyStr(entry.get('destination') ?? '')));
}

/** `network.get_route`. @throws CommandExecutionError when there is no way */
export async function routeTo(ctx: ModuleContext, ip: Value): Promise<Dict> {
  const [line = ''] = splitLines(await runText(ctx, ['ip', 'route', 'get', pyStr(ip)]));
  const match = /(?:via\s+([\w.:]+))?\s+dev\s+([\w.:-]+)\s+.*src\s+([\w.:]+)/.exec(line);
  // Salt compat: Salt fails with a traceback about 'NoneType'
  if (match === null)
    throw new CommandExecutionError(line === '' ? `There is no route to ${pyStr(ip)}` : line);
  const [, gateway, device = '', source = ''] = match;
  return dict({ destination: ip, gateway: gateway ?? null, interface: device, source });
}
