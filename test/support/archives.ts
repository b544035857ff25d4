/** Archives as nobody well-meaning makes them: any name, any link, any size that is claimed. */
import { crc32 } from '../../src/plugins/archive/module/zip-format.ts';

/** A member to forge. Without `target` a file, or a folder when its name ends with a slash. */
export interface ForgedMember {
  readonly name: string;
  readonly content?: string;
  /** A symlink to this. */
  readonly link?: string;
  /** A hard link to this; tar only. */
  readonly hardlink?: string;
  /** Another name: in zip that of the Unicode field, in tar that of a pax header. */
  readonly otherName?: string;
  /** A block device of these numbers, with the bit setuid; tar only. */
  readonly device?: readonly [major: number, minor: number];
  /** With the bit setuid; tar only. */
  readonly isSetuid?: boolean;
  /** The size that is claimed, when it is not the content's. */
  readonly claimedBytes?: number;
}

/** A tar archive. */
export function forgeTar(members: readonly ForgedMember[]): Buffer {
  return Buffer.concat([...tarBlocks(members), Buffer.alloc(1024)]);
}

function tarBlocks(members: readonly (ForgedMember & { readonly isPax?: boolean })[]): Buffer[] {
  const blocks = members.flatMap((member) => {
    const { name, content = '', link, hardlink, claimedBytes, otherName, device, isSetuid } = member;
    const head = Buffer.alloc(512);
    const body = link === undefined && hardlink === undefined ? Buffer.from(content) : Buffer.alloc(0);
    const type = member.isPax === true ? 'x' : device !== undefined ? '4' : typeOf(member);
    head.write(name, 0, 100);
    const mode = device !== undefined ? '0004666' : isSetuid === true ? '0004755' : '0000755';
    head.write(`${mode}\0${'0000000\0'.repeat(2)}`, 100);
    head.write(`${(claimedBytes ?? body.length).toString(8).padStart(11, '0')} `, 124);
    head.write('14000000000 ', 136);
    head.write('        ', 148);
    head.write(type, 156);
    head.write(link ?? hardlink ?? '', 157, 100);
    head.write('ustar\u000000', 257);
    if (device !== undefined)
      for (const [i, number] of device.entries())
        head.write(`${number.toString(8).padStart(7, '0')}\0`, 329 + 8 * i);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const pax =
      otherName === undefined ? [] : tarBlocks([{ name: 'pax', content: paxPath(otherName), isPax: true }]);
    return [...pax, head, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return blocks;
}

function typeOf({ name, link, hardlink }: ForgedMember): string {
  if (link !== undefined) return '2';
  return hardlink !== undefined ? '1' : name.endsWith('/') ? '5' : '0';
}

/** A record of a pax header, which says its own length. */
function paxPath(name: string): string {
  const rest = ` path=${name}\n`;
  const length = rest.length + String(rest.length + 2).length;
  return `${length}${rest}`;
}

/** A zip archive, nothing in it compressed. */
export function forgeZip(members: readonly ForgedMember[]): Buffer {
  const [locals, index]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const { name, content = '', link, claimedBytes, otherName } of members) {
    const [raw, body] = [Buffer.from(name), Buffer.from(link ?? content)];
    const mode = link !== undefined ? 0o120777 : name.endsWith('/') ? 0o040755 : 0o100644;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(body), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(claimedBytes ?? body.length, 18);
    fields.writeUInt16LE(raw.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode * 0x10000) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    const extra = otherName === undefined ? Buffer.alloc(0) : unicodeField(raw, otherName);
    fields.writeUInt16LE(extra.length, 24);
    locals.push(Buffer.from('PK\x03\x04'), fields, raw, extra, body);
    index.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, raw, extra);
    at += 30 + raw.length + extra.length + body.length;
  }
  const central = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}

/** Info-ZIP's Unicode path field, with the sum that makes `unzip` believe it. */
function unicodeField(raw: Buffer, name: string): Buffer {
  const text = Buffer.from(name);
  const head = Buffer.alloc(9);
  head.writeUInt16LE(0x7075, 0);
  head.writeUInt16LE(5 + text.length, 2);
  head.writeUInt8(1, 4);
  head.writeUInt32LE(crc32(raw), 5);
  return Buffer.concat([head, text]);
}
