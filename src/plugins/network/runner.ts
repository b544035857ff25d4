/** `network.*`: waking machines (salt/runners/network.py, 3006.16). */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { PythonError } from '../../python/exceptions.ts';
import { osErrorText } from '../../python/os-errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const destinationParams = {
  bcast: param.text({ default: '255.255.255.255', doc: 'Address to send to.' }),
  destport: param.count({ default: 9, doc: 'UDP port to send to.' }),
} as const;

/** The network runner. */
export const networkRunners = defineRunners({
  name: 'network',
  doc: 'The network as the master sees it.',
  functions: {
    wol: defineRunner({
      doc: 'Wakes a machine by its hardware address.',
      params: {
        mac: param.text({ doc: '12 hexadecimal digits, with or without `:` or `-` between them.' }),
        ...destinationParams,
      },
      returns: 'True',
      examples: [
        'salt-run network.wol 08-00-27-13-69-77',
        'salt-run network.wol 080027136977 255.255.255.255 7',
      ],
      run: async (_ctx, { mac, bcast, destport }) => {
        await wake(mac, bcast, destport);
        return true;
      },
    }),
    wollist: defineRunner({
      doc: 'Wakes the machines whose hardware addresses stand in a file, one in each line.',
      params: { maclist: param.text({ doc: 'Path of the file.' }), ...destinationParams },
      returns: 'list of addresses',
      examples: ["salt-run network.wollist '/path/to/maclist'"],
      run: async (ctx, { maclist, bcast, destport }) => {
        const done: Value[] = [];
        try {
          const lines = readFileSync(maclist, 'utf8').split('\n');
          for (const mac of lines.map((line) => line.trim()).filter((line) => line !== '')) {
            await wake(mac, bcast, destport);
            ctx.print(`Waking up ${mac}`);
            done.push(mac);
          }
          return done;
        } catch (error) {
          await ctx.progress(dict({ error: `Failed to open the MAC file. Error: ${osErrorText(error)}` }));
          return [];
        }
      },
    }),
    wolmatch: defineRunner({
      doc: 'Wakes minions by the hardware addresses in their cached grains.',
      params: {
        tgt: { type: 'str', doc: 'The minions.' },
        tgt_type: { default: 'glob', type: 'str', doc: 'What kind of target that is.' },
        ...destinationParams,
      },
      returns: 'list of addresses',
      examples: ['salt-run network.wolmatch minion_id'],
      run: async (ctx, { tgt, tgt_type, bcast, destport }) => {
        const cached = await ctx.call('cache.grains', [tgt, tgt_type]);
        const done: Value[] = [];
        for (const grains of isDict(cached) ? cached.values() : []) {
          const interfaces = isDict(grains) ? grains.get('hwaddr_interfaces') : undefined;
          for (const [name, mac] of isDict(interfaces) ? interfaces : []) {
            if (name === 'lo') continue;
            await wake(pyStr(mac).trim(), bcast, destport);
            ctx.log.info(`Waking up ${pyStr(mac)}`);
            done.push(mac);
          }
        }
        return done;
      },
    }),
  },
});

/** Sends the packet: six bytes of ones, and the address sixteen times. @throws PythonError for what is no address */
async function wake(mac: string, address: string, port: number): Promise<void> {
  const digits = mac.length === 17 ? mac.replaceAll(mac.charAt(2), '') : mac;
  if (!/^[0-9a-f]{12}$/i.test(digits)) throw new PythonError('ValueError', 'Invalid MAC address');
  const packet = Buffer.concat([
    Buffer.alloc(6, 0xff),
    ...Array.from({ length: 16 }, () => Buffer.from(digits, 'hex')),
  ]);
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(() => {
        socket.setBroadcast(true);
        socket.send(packet, port, address, (error) => (error === null ? resolve() : reject(error)));
      });
    });
  } finally {
    socket.close();
  }
}
