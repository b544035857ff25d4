/** The TCP sockets of processes, as /proc shows them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** An end of a connection. */
export interface TcpPlace {
  /** An IPv4 address as people write it, also where it stands in one of IPv6; an IPv6 address as 32 digits. */
  readonly address: string;
  readonly port: number;
}

/** What processes have open. */
export interface TcpSockets {
  /** Ports on which they listen, in order. */
  readonly listening: readonly number[];
  /** The other ends of connections that stand. */
  readonly connectedTo: readonly TcpPlace[];
}

const ESTABLISHED = '01';
const LISTEN = '0A';
const MAPPED = '0000000000000000FFFF0000';

/** The sockets of these processes; those of a process that is closed to us are not seen. */
export function tcpSocketsOf(pids: readonly number[]): TcpSockets {
  const inodes = new Set(pids.flatMap(socketsOf));
  const rows = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap(tableRows)
    .filter(({ inode }) => inodes.has(inode));
  const listening = rows.filter(({ state }) => state === LISTEN).map(({ local }) => local.port);
  return {
    listening: [...new Set(listening)].sort((a, b) => a - b),
    connectedTo: rows.filter(({ state }) => state === ESTABLISHED).map(({ remote }) => remote),
  };
}

interface Row {
  readonly local: TcpPlace;
  readonly remote: TcpPlace;
  readonly state: string;
  readonly inode: string;
}

function tableRows(path: string): Row[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return []; // no IPv6 here
  }
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
      return inode === '' ? [] : [{ local: readPlace(local), remote: readPlace(remote), state, inode }];
    });
}

/** `0100007F:1F90`: each four bytes of the address are a number in the byte order of the machine (little-endian). */
export function readPlace(text: string): TcpPlace {
  const [hex = '', port = ''] = text.split(':');
  const words = hex.toUpperCase().match(/.{8}/g) ?? [];
  const isV4 = words.length === 1 || words.slice(0, 3).join('') === MAPPED;
  const bytes = words.map((word) => (word.match(/../g) ?? []).reverse());
  const address = isV4
    ? (bytes.at(-1) ?? []).map((byte) => parseInt(byte, 16)).join('.')
    : bytes.flat().join('').toLowerCase();
  return { address, port: parseInt(port, 16) };
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return []; // closed in the meantime
    }
  });
}
