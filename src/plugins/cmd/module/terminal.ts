/** Writing to a terminal device. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { dict, type Dict } from '../../../python/values/value.ts';

/**
 * Writes text to a terminal (3006.16 salt/modules/cmdmod.py `tty`).
 * @param device `tty…` or `pts…`, without folder. Salt compat: Salt lets the name lead out of `/dev`, and creates
 *   a plain file when there is no such device; here both are errors
 */
export function writeTerminal(device: string, text: string): Dict {
  const path = devicePath(device);
  if (path === undefined) return dict({ Error: 'The specified device is not a valid TTY' });
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(fd).isCharacterDevice()) throw new Error('not a device');
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
    return dict({ Success: `Message was successfully echoed to ${path}` });
  } catch {
    return dict({ Error: `Echoing to ${path} returned error` });
  }
}

function devicePath(device: string): string | undefined {
  if (/^tty[A-Za-z0-9_-]*$/.test(device)) return `/dev/${device}`;
  const terminal = /^pts\/?(\d+)$/.exec(device);
  return terminal ? `/dev/pts/${terminal[1] ?? ''}` : undefined;
}
