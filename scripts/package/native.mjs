// Native code in what is packaged: a file of another machine would be found by whoever installs it, and no sooner.
import { closeSync, openSync, readSync } from 'node:fs';
import { relative } from 'node:path';
import { filesBelow } from '../bundle.mjs';

/** `e_machine` of ELF, by Debian's names of architectures. */
const MACHINES = { amd64: 62, arm64: 183 };
const MAGIC = 0x7f454c46;
const MACHINE_AT = 18;
const HEADER_BYTES = 20;

/**
 * @param folder of what is packaged
 * @param arch as Debian names it
 * @param needed what the paths of native files end with that have to be there
 * @returns the paths of the native files, below the folder
 * @throws Error that names each file of another machine, and each that is missing
 */
export function checkNative(folder, arch, needed) {
  const natives = filesBelow(folder, '').flatMap((path) => {
    const machine = machineOf(path);
    return machine === undefined ? [] : [{ path: relative(folder, path), machine }];
  });
  const faults = [
    ...natives
      .filter(({ machine }) => machine !== MACHINES[arch])
      .map(({ path, machine }) => `${path} is of another machine than ${arch} (${nameOf(machine)})`),
    ...needed
      .filter((end) => !natives.some(({ path }) => path.endsWith(end)))
      .map((end) => `${end} for ${arch} is missing`),
  ];
  if (faults.length > 0) throw new Error(`The packages cannot be made: ${faults.join('; ')}.`);
  return natives.map(({ path }) => path);
}

/** Undefined for what is no ELF file. */
function machineOf(path) {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path);
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  return header.readUInt32BE(0) === MAGIC ? header.readUInt16LE(MACHINE_AT) : undefined;
}

function nameOf(machine) {
  return Object.keys(MACHINES).find((name) => MACHINES[name] === machine) ?? `ELF machine ${machine}`;
}
