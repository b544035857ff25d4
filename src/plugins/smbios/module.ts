/** `smbios`: what the firmware tells of the machine, by `dmidecode`. Follows 3006.16 salt/modules/smbios.py. */
import { findProgram } from '../../host/which.ts';
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runText } from '../shared/program.ts';

const program = (): string | undefined => findProgram('dmidecode') ?? findProgram('smbios');

/** Values of which everybody knows that nobody has filled them in. */
const EMPTY = /^none/i;
const NO_NUMBER = /^0+$|^0?1234567[8]?[9]?[0]?|sernum|part[_-]?number|specified|filled|applicable/i;
const NO_MAKER = /manufacturer|to be filled|available|asset|^no(?:ne|t)/i;
const UNKNOWN =
  /to be filled|un(?:known|specified)|no(?:t|ne)? (?:asset|provided|defined|available|present|specified)/i;
const UUID = /^[0-9a-f]{32}$/i;

/** False for a value that tells nothing. */
function isClean(key: string, value: string): boolean {
  if (value === '' || EMPTY.test(value)) return false;
  if (key.includes('uuid'))
    return UUID.test(value.replace('urn:', '').replace('uuid:', '').replace(/[{}-]/g, ''));
  if (/serial|part|version/.test(key)) return !NO_NUMBER.test(value);
  return !(/asset|manufacturer/.test(key) ? NO_MAKER : UNKNOWN).test(value);
}

/** A value as a number or a list where it is one; undefined where it tells nothing. */
function readValue(key: string, value: string, clean: boolean): Value | undefined {
  if (clean && !isClean(key, value)) return undefined;
  if (/^(?:serial|part|asset|product)/i.test(key)) return value;
  return value.includes(',') ? value.split(',').map((part) => part.trim()) : (toPyInt(value) ?? value);
}

/** Which records are wanted, and how. */
interface Wanted {
  readonly fields: Value;
  readonly clean: boolean;
}

function isWanted(key: string, { fields, clean }: Wanted): boolean {
  if (clean && key === 'header_and_data') return false;
  if (!truthy(fields)) return true;
  return Array.isArray(fields) ? fields.map(pyStr).includes(key) : pyStr(fields).includes(key);
}

/** The fields of a record. Salt compat: Salt drops the last field of each record. */
function fieldsOf(lines: readonly string[], wanted: Wanted): Dict {
  const found = dict();
  let key: string | undefined;
  for (const line of lines) {
    if (/^\t\S/.test(line)) {
      const at = line.indexOf(':');
      const name = (at < 0 ? line : line.slice(0, at)).trim().toLowerCase().replaceAll(' ', '_');
      key = isWanted(name, wanted) ? name : undefined;
      const value = key && at >= 0 ? readValue(name, line.slice(at + 1).trim(), wanted.clean) : undefined;
      if (value !== undefined) found.set(name, value);
    } else if (key !== undefined && /^\t\t\S/.test(line)) {
      const item = readValue(key, line.trim(), wanted.clean);
      if (item === undefined) continue;
      const known = found.get(key);
      const isListed = Array.isArray(known);
      found.set(
        key,
        known === undefined || known === '' ? [item] : isListed ? [...known, item] : [known, item],
      );
    }
  }
  return found;
}

function recordsOf(text: string, wanted: Wanted): Dict[] {
  const [, ...parts] = text.split(/(handle [0-9]x[0-9a-f]+[^\n]+)\n/im);
  const found: Dict[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [handle = '', type = ''] = (parts[i] ?? '')
      .split(',')
      .map((word) => word.trim().split(/\s+/).at(-1) ?? '');
    const [description = '', ...lines] = (parts[i + 1] ?? '').split('\n');
    const record = dict({ handle, description: description.trim(), type: Number(type) });
    const fields = fieldsOf(lines, wanted);
    if (fields.size > 0) record.set('data', fields);
    if (fields.size > 0 || !wanted.clean) found.push(record);
  }
  return found;
}

function decoded(ctx: ModuleContext, words: readonly string[]): Promise<string> {
  const quiet = { ignore_retcode: true, output_loglevel: 'quiet' };
  return runText(ctx, [program() ?? 'dmidecode', ...words], quiet);
}

async function oneText(ctx: ModuleContext, name: string, clean: boolean): Promise<Value> {
  const lines = (await decoded(ctx, ['-s', name])).trim().split('\n');
  const value = lines.filter((line) => !line.startsWith('#')).join('\n');
  return value.startsWith('/dev/mem') || (clean && !isClean(name, value)) ? null : value;
}

const CLEAN = {
  clean: param.flag({
    default: true,
    doc: 'Without what nobody has filled in: serial numbers of zeros, and the like.',
  }),
} as const;

/** The module. */
export const smbiosModule = defineModule({
  name: 'smbios',
  file: 'smbios',
  doc: 'What the firmware tells of the machine (SMBIOS, DMI).',
  words: {},
  unavailable: () =>
    program() === undefined
      ? 'The smbios execution module failed to load: neither dmidecode nor smbios in the path.'
      : undefined,
  functions: {
    get: defineFunction({
      doc: 'Returns one text: bios-vendor, system-uuid, baseboard-serial-number, chassis-type and the like.',
      params: { string: param.text({ doc: 'Which one.' }), ...CLEAN },
      returns: 'the text; none where it tells nothing',
      examples: ["salt '*' smbios.get system-uuid clean=False"],
      run: (ctx, { string, clean }) => oneText(ctx, string, clean),
    }),
    records: defineFunction({
      doc: 'Returns the records, or those of one type.',
      params: {
        rec_type: param.textOrNone({
          default: null,
          doc: 'The type: 0 for the BIOS, 1 for the system, 17 for memory.',
        }),
        fields: param.value({ default: null, type: 'list or str', doc: 'Return only these fields.' }),
        ...CLEAN,
      },
      returns: 'list of mappings with handle, description, type and data',
      examples: ["salt '*' smbios.records clean=False", "salt '*' smbios.records 4 core_count,thread_count"],
      run: async (ctx, { rec_type, fields, clean }) =>
        recordsOf(await decoded(ctx, rec_type === undefined ? [] : ['-t', rec_type]), { fields, clean }),
    }),
  },
});
