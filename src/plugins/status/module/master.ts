/** Connections to masters. Follows 3006.16 salt/modules/status.py `master`, `ping_master`. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { lookup } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { readTextIfExists } from '../../../host/files.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import { addressOfHex } from '../../shared/proc-address.ts';
import { settingNumber } from '../../shared/settings.ts';

const PING_TIMEOUT_MS = 60_000;
const ESTABLISHED = '01';

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The other ends of established connections to a port. */
function remotesOn(port: number): Set<string> {
  const out = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of splitLines(readTextIfExists(file) ?? '').slice(1)) {
      const [, , remote = '', state] = line.trim().split(/\s+/);
      const [address = '', remotePort = ''] = remote.split(':');
      if (state === ESTABLISHED && parseInt(remotePort, 16) === port) out.add(addressOfHex(address));
    }
  }
  return out;
}

/** Whether there is a connection to the publish port of a master. @returns None for a name nobody knows */
export async function masterStatus(ctx: ModuleContext, master: string, before: Value): Promise<Value> {
  const addresses = await addressesOf(master);
  if (addresses.length === 0) return null;
  const port = (await settingNumber(ctx, ['publish_port', 4505])) ?? 4505;
  const remotes = remotesOn(port);
  const isConnected = addresses.some((address) => remotes.has(address));
  if (isConnected !== before) {
    const tag = isConnected ? '__master_connected' : '__master_disconnected';
    await ctx.services.fireLocal(tag, dict({ master }));
  }
  return isConnected;
}

/** Whether something that speaks ZeroMQ answers at the request port of a master. */
export async function pingMaster(ctx: ModuleContext, master: string): Promise<boolean> {
  const port = optionOf(ctx.opts, 'master_port');
  const isThere = await answersZmtp(ctx, master, port);
  if (isThere) await ctx.services.fireLocal('__master_failback', dict({ master: pyStr(master) }));
  return isThere;
}

function answersZmtp(ctx: ModuleContext, host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    let received = Buffer.alloc(0);
    const finish = (answer: boolean): void => {
      timer.cancel();
      socket.destroy();
      resolve(answer);
    };
    const timer = ctx.clock.after(PING_TIMEOUT_MS, () => finish(false), { background: true });
    // the greeting of ZMTP begins with ff, eight bytes, 7f
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 10) finish(received[0] === 0xff && received[9] === 0x7f);
    });
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    ctx.signal.addEventListener('abort', () => finish(false), { once: true });
  });
}
