/** A tar archive of a few small texts, as Python's `tarfile` writes it. */

const BLOCK = 512;
/** Python pads archives to records of this size. */
const RECORD = 20 * BLOCK;

/** @param files names and contents */
export function keyArchive(files: readonly (readonly [string, string])[]): Buffer {
  const parts: Buffer[] = [];
  for (const [name, text] of files) {
    const content = Buffer.from(text, 'utf8');
    parts.push(header(name, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1)));
  }
  const length = parts.reduce((sum, part) => sum + part.length, 2 * BLOCK);
  return Buffer.concat(parts, Math.ceil(length / RECORD) * RECORD);
}

function header(name: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  block.write(octal(0, 12), 136);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
