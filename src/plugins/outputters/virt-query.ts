/** `virt_query`: what `salt-run virt.query` returns (3006.16 salt/output/virt_query.py). */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { asDict, entry, iterate, unsuited, type Outputter } from './outputter.ts';

/** The `virt_query` outputter. */
export const outputter: Outputter = { name: 'virt_query', render: renderVirtQuery };

function renderVirtQuery(data: Value): string {
  const top = asDict(data);
  const hosts = entry(top, 'data');
  let out = '';
  for (const host of iterate(hosts)) {
    out += `${pyStr(host)}\n`;
    for (const machine of iterate(entry(asDict(asDict(hosts).get(host)), 'vm_info'))) {
      // Salt looks the machine up one level too high; data without that level is shown by nested
      const info = entry(asDict(top.get(host)), 'vm_info');
      out += `  ${pyStr(machine)}\n${machineText(pyStr(host), asDict(asDict(info).get(machine)))}`;
    }
  }
  return out;
}

function machineText(host: string, machine: Dict): string {
  let out = '';
  const line = (label: string, key: string): void => {
    const value = machine.get(key);
    if (value !== undefined) out += `    ${label}: ${pyStr(value)}\n`;
  };
  line('CPU', 'cpu');
  line('Memory', 'mem');
  line('State', 'state');
  const graphics = machine.get('graphics');
  if (graphics !== undefined && asDict(graphics).get('type') === 'vnc') {
    out += `    Graphics: vnc - ${host}:${pyStr(entry(asDict(graphics), 'port'))}\n`;
  }
  return out + disksText(machine.get('disks')) + networkText(machine.get('nics'));
}

function disksText(disks: Value | undefined): string {
  if (disks === undefined) return '';
  return [...asDict(disks)]
    .map(([name, raw]) => {
      const disk = asDict(raw);
      const field = (label: string, key: string): string => `      ${label}: ${pyStr(entry(disk, key))}\n`;
      const fields = field('Size', 'disk size') + field('File', 'file') + field('File Format', 'file format');
      return `    Disk - ${pyStr(name)}:\n${fields}`;
    })
    .join('');
}

function networkText(nics: Value | undefined): string {
  if (nics === undefined || !truthy(nics)) return '';
  return [...asDict(nics)]
    .map(([mac, raw]) => {
      const nic = asDict(raw);
      const source = entry(nic, 'source');
      if (!isDict(source) || source.size === 0) return unsuited('a network card without a source');
      const [first] = source.values();
      const type = pyStr(entry(nic, 'type'));
      return `    Nic - ${pyStr(mac)}:\n      Source: ${pyStr(first ?? null)}\n      Type: ${type}\n`;
    })
    .join('');
}
