/**
 * The machine's make: biosversion, manufacturer, productname, serialnumber, uuid… (salt/grains/core.py,
 * salt/modules/smbios.py).
 */
import type { Dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';
import { isDirectory } from '../context.ts';
import type { GrainsHost } from '../host.ts';

const DMI_FOLDER = '/sys/class/dmi/id';
const DMI_FILES = [
  ['biosversion', 'bios_version'],
  ['biosvendor', 'bios_vendor'],
  ['boardname', 'board_name'],
  ['productname', 'product_name'],
  ['manufacturer', 'sys_vendor'],
  ['biosreleasedate', 'bios_date'],
  ['uuid', 'product_uuid'],
  ['serialnumber', 'product_serial'],
] as const;

/** Reads what the kernel or, without it, the firmware programs tell. Grains that nobody tells are left out. */
export async function hardwareGrains(ctx: GrainsContext): Promise<Dict> {
  if (ctx.host.stat(DMI_FOLDER)) return dmiGrains(ctx.host);
  if (ctx.which('dmidecode') ?? ctx.which('smbios')) return smbiosGrains(ctx);
  if (ctx.which('fw_printenv')) return ubootGrains(ctx);
  return new Map();
}

function dmiGrains(host: GrainsHost): Dict {
  const grains: Dict = new Map();
  for (const [grain, file] of DMI_FILES) {
    const value = host.readText(`${DMI_FOLDER}/${file}`)?.trim();
    if (value !== undefined) grains.set(grain, grain === 'uuid' ? value.toLowerCase() : value);
  }
  return grains;
}

const SMBIOS_STRINGS = [
  ['biosversion', 'bios-version'],
  ['biosvendor', 'bios-vendor'],
  ['productname', 'system-product-name'],
  ['manufacturer', 'system-manufacturer'],
  ['biosreleasedate', 'bios-release-date'],
  ['uuid', 'system-uuid'],
] as const;
const SERIAL_STRINGS = ['system-serial-number', 'chassis-serial-number', 'baseboard-serial-number'];

async function smbiosGrains(ctx: GrainsContext): Promise<Dict> {
  const program = ctx.which('dmidecode') ? 'dmidecode' : 'smbios';
  const read = async (name: string): Promise<string | undefined> => {
    const output = (await ctx.run([program, '-s', name]))?.stdout ?? '';
    const value = output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n');
    return value.startsWith('/dev/mem') || !isMeaningful(name, value) ? undefined : value;
  };
  const names = [...SMBIOS_STRINGS.map(([, name]) => name), ...SERIAL_STRINGS];
  const values = await Promise.all(names.map(read));
  const grains: Dict = new Map();
  SMBIOS_STRINGS.forEach(([grain], i) => {
    const value = values[i];
    if (value !== undefined) grains.set(grain, grain === 'uuid' ? value.toLowerCase() : value);
  });
  const serial = values.slice(SMBIOS_STRINGS.length).find((x) => x !== undefined);
  if (serial !== undefined) grains.set('serialnumber', serial);
  return grains;
}

async function ubootGrains(ctx: GrainsContext): Promise<Dict> {
  const grains: Dict = new Map();
  const variables = [
    ['manufacturer', 'manufacturer'],
    ['serialnumber', 'serial#'],
    ['productname', 'DeviceDesc'],
  ] as const;
  const results = await Promise.all(variables.map(([, name]) => ctx.run(['fw_printenv', name])));
  variables.forEach(([grain], i) => {
    const result = results[i];
    if (result?.retcode !== 0) return;
    const value = result.stdout.split('=')[1] ?? '';
    grains.set(grain, isMeaningful(grain, value) ? value : null);
  });
  return grains;
}

/** False for the texts that makers leave in place of a value (`To be filled by O.E.M.`, `0123456789`…). */
export function isMeaningful(key: string, value: string): boolean {
  if (value === '' || /^none/i.test(value)) return false;
  if (key.includes('uuid')) return /^\{?[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?$/i.test(value);
  if (/serial|part|version/.test(key)) {
    if (/^0+$/.test(value) || /^0?1234567[8]?[9]?[0]?/.test(value)) return false;
    return !/sernum|part[_-]?number|specified|filled|applicable/i.test(value);
  }
  if (/asset|manufacturer/.test(key))
    return !/manufacturer|to be filled|available|asset|^no(ne|t)/i.test(value);
  return !/to be filled|un(known|specified)|no(t|ne)? (asset|provided|defined|available|present|specified)/i.test(
    value,
  );
}

/** Boards that describe themselves by a device tree (ARM, POWER). */
export function deviceTreeGrains(host: GrainsHost): Dict {
  const grains: Dict = new Map();
  if (!isDirectory(host, '/proc/device-tree')) return grains;
  const read = (name: string): string =>
    (host.readText(`/proc/device-tree/${name}`) ?? '').replace(/\0+$/, '');
  const model = read('model');
  const comma = model.indexOf(',');
  if (comma >= 0) grains.set('manufacturer', model.slice(0, comma));
  if (model !== '') grains.set('productname', model.slice(comma + 1));
  const serial = read('serial-number') || read('system-id');
  if (serial !== '') grains.set('serialnumber', serial);
  return grains;
}
