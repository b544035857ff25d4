/**
 * `log_file` as the address of a system log: `file:///dev/log/LOG_DAEMON`, `udp://host:514`, `tcp://host` (3006.16
 * salt/_logging/impl.py `setup_logfile_handler`).
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LogLevel } from './log.ts';
import { DatagramChannel, LoggerChannel, StreamChannel, type LogChannel } from './log-network.ts';
import { findProgram } from './which.ts';

const DEFAULT_PORT = 514;
/** As Python's SysLogHandler numbers them. */
const FACILITIES: ReadonlyMap<string, number> = new Map([
  ...[
    'KERN',
    'USER',
    'MAIL',
    'DAEMON',
    'AUTH',
    'SYSLOG',
    'LPR',
    'NEWS',
    'UUCP',
    'CRON',
    'AUTHPRIV',
    'FTP',
  ].map((name, number): [string, number] => [`LOG_${name}`, number]),
  ...Array.from({ length: 8 }, (_, nth): [string, number] => [`LOG_LOCAL${nth}`, 16 + nth]),
]);
/** What Python's SysLogHandler makes of levels; those that it does not know are warnings. */
const SEVERITIES: Readonly<Partial<Record<LogLevel, number>>> = {
  critical: 2,
  error: 3,
  warning: 4,
  info: 6,
  debug: 7,
};
const UNKNOWN_SEVERITY = 4;

/** A system log. */
export interface SystemLog {
  readonly channel: LogChannel;
  /** A message as the log takes it. */
  frame(level: LogLevel, text: string): Buffer;
}

/** True for what is an address and no path. */
export function isSystemLog(file: string): boolean {
  return /^(?:file|udp|tcp):\/\//.test(file);
}

/** @param tag what the log calls the program @returns why it cannot be had, where it cannot */
export function openSystemLog(address: string, tag: string): SystemLog | { readonly fault: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return { fault: `${address} is no address` };
  const path = decodeURIComponent(url.pathname);
  const last = (path.split('/').at(-1) ?? '').toUpperCase();
  const isNamed = last.startsWith('LOG_');
  const isLocal = url.protocol === 'file:';
  if (!isLocal && last !== '' && !isNamed) return { fault: `the syslog facility '${last}' is not known` };
  const facility = FACILITIES.get(isNamed ? last : 'LOG_USER');
  if (facility === undefined)
    return {
      fault: `the syslog facility '${last}' is not known; there are ${[...FACILITIES.keys()].join(', ')}`,
    };
  const priority = (level: LogLevel): string => `<${facility * 8 + (SEVERITIES[level] ?? UNKNOWN_SEVERITY)}>`;
  if (isLocal) return localLog(isNamed ? dirname(path) : path, tag, priority);
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || DEFAULT_PORT)];
  if (host === '') return { fault: `${address} names no host` };
  const channel =
    url.protocol === 'udp:' ? new DatagramChannel(host, port) : new StreamChannel({ host, port });
  return { channel, frame: (level, text) => Buffer.from(`${priority(level)}${text}\0`) };
}

function localLog(
  socket: string,
  tag: string,
  priority: (level: LogLevel) => string,
): SystemLog | { readonly fault: string } {
  if (statSync(socket, { throwIfNoEntry: false })?.isSocket() !== true)
    return { fault: `${socket} is no socket; is there a system log on this machine?` };
  const program = findProgram('logger');
  if (program === undefined)
    return { fault: 'the program logger is not installed; install the package bsdutils or util-linux' };
  const lines = (level: LogLevel, text: string): string =>
    text
      .split('\n')
      .map((line) => `${priority(level)}${line}\n`)
      .join('');
  return {
    channel: new LoggerChannel(program, socket, tag),
    frame: (level, text) => Buffer.from(lines(level, text)),
  };
}
