/** Reaching out: connecting, pinging, waking, tracing. Follows 3006.16 salt/modules/network.py. */
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { createConnection, isIP } from 'node:net';
import { CommandNotFoundError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, float, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { runText } from '../../shared/program.ts';

/**
 * A host name with nothing in it that names do not have; addresses stay as they are (3006.26; Salt before it takes
 * colons away).
 */
export function sanitizeHost(host: string): string {
  if (isIP(host) !== 0) return host;
  return host.slice(0, 255).replace(/[^A-Za-z0-9._-]/g, '');
}

/** @throws CommandNotFoundError in Salt's words */
export function needProgram(name: string): void {
  if (findProgram(name) === undefined)
    throw new CommandNotFoundError(`The '${name}' binary was not found in $PATH.`);
}

/** `network.connect` */
export async function connectTo(
  ctx: ModuleContext,
  host: string | undefined,
  port: string | undefined,
  options: Dict,
): Promise<Dict> {
  const answer = (result: boolean, comment: string): Dict => dict({ result, comment });
  if (host === undefined) return answer(false, 'Required argument, host, is missing.');
  if (port === undefined) return answer(false, 'Required argument, port, is missing.');
  const [name, number] = [host, port];
  const proto = options.get('proto') === 'udp' ? 'udp' : 'tcp';
  const wanted = options.get('family');
  const family = wanted === 'ipv4' ? 4 : wanted === 'ipv6' ? 6 : 0;
  const timeoutMs = (toNumber(options.get('timeout')) ?? 5) * 1000;
  let address: string;
  try {
    address = (await lookup(isIP(name) ? name : sanitizeHost(name), { family })).address;
    if (!/^\d+$/.test(number)) throw new Error('not a port');
  } catch {
    return answer(false, `Unable to resolve host ${name} on ${proto} port ${number}`);
  }
  const target = { address, port: Number(number), timeoutMs };
  const isOpen = proto === 'udp' ? await answersUdp(ctx, target) : await acceptsTcp(ctx, target);
  const text = isOpen ? 'Successfully connected to' : 'Unable to connect to';
  return answer(isOpen, `${text} ${name} (${address}) on ${proto} port ${number}`);
}

interface Target {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
}

function acceptsTcp(ctx: ModuleContext, { address, port, timeoutMs }: Target): Promise<boolean> {
  if (port > 65_535) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = createConnection({ host: address, port });
    const finish = (answer: boolean): void => {
      timer.cancel();
      socket.destroy();
      resolve(answer);
    };
    const timer = ctx.clock.after(timeoutMs, () => finish(false));
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
    ctx.signal.addEventListener('abort', () => finish(false), { once: true });
  });
}

/** Something has to come back. */
function answersUdp(ctx: ModuleContext, { address, port, timeoutMs }: Target): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    const finish = (answer: boolean): void => {
      timer.cancel();
      socket.close();
      resolve(answer);
    };
    const timer = ctx.clock.after(timeoutMs, () => finish(false));
    socket.once('message', () => finish(true));
    socket.once('error', () => finish(false));
    const message = createHash('md5')
      .update(String(Math.trunc(ctx.clock.nowMs() / 1000)))
      .digest('hex');
    socket.connect(port, address, () => socket.send(message));
  });
}

/** `network.wol`: the six bytes sixteen times. @throws PythonError for what is no hardware address */
export function wakeUp(mac: string, broadcast: string, port: number): Promise<true> {
  const digits = mac.length === 17 ? mac.replaceAll(mac.charAt(2), '') : mac;
  if (mac.length !== 12 && mac.length !== 17) throw new PythonError('ValueError', 'Invalid MAC address');
  if (!/^[0-9a-fA-F]{12}$/.test(digits))
    throw new PythonError('ValueError', `invalid literal for int() with base 16: '${badPair(digits)}'`);
  const address = Buffer.from(digits, 'hex');
  const packet = Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: 16 }, () => address)]);
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(() => {
      socket.setBroadcast(true);
      socket.send(packet, port, broadcast, (error) => {
        if (error !== null) return void socket.emit('error', error);
        socket.close();
        resolve(true);
      });
    });
  });
}

/** The first two digits that are none. */
function badPair(digits: string): string {
  return (digits.match(/.{1,2}/g) ?? []).find((pair) => !/^[0-9a-fA-F]{2}$/.test(pair)) ?? '';
}

/** `network.traceroute` of the usual Linux program, version 2. */
export async function traceRoute(ctx: ModuleContext, host: string): Promise<Dict[]> {
  needProgram('traceroute');
  const lines = splitLines(await runText(ctx, ['traceroute', sanitizeHost(host)]));
  return lines
    .filter((line) => line.includes(' ') && !line.startsWith('traceroute'))
    .map((line) => {
      const columns = line.split('  ');
      const [count = '', place = '', ...times] = columns;
      if (place === '* * *') return dict({ count: Number(count), hostname: '*' });
      const [name = '', ip = ''] = place.split(' ');
      if (columns.length < 5) {
        ctx.log.warning(`Cannot parse traceroute output line: ${line}`);
        return new Map<Value, Value>();
      }
      const ms = times.map((time) => float(Number(time.split(' ')[0])));
      return dict({
        count: Number(count),
        hostname: name,
        ip: ip.replace(/^[()]+|[()]+$/g, ''),
        ms1: ms[0],
        ms2: ms[1],
        ms3: ms[2],
      });
    });
}
