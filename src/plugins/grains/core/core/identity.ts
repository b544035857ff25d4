/**
 * Who this minion is and how its kernel was started: id, master, server_id, machine_id, kernelparams…
 * (salt/grains/core.py).
 */
import { createHash } from 'node:crypto';
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import { splitWords } from '../../../../python/shell-words.ts';
import { option, type GrainsContext } from '../context.ts';

/** `server_id`: a number of 31 bits that follows from the id. */
export function serverId(id: string): number {
  const digest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return Number(digest % 2n ** 31n);
}

/** id */
export function idGrain(ctx: GrainsContext): Dict {
  return dict({ id: option(ctx, 'id', '') });
}

/** master */
export function masterGrain(ctx: GrainsContext): Dict {
  return dict({ master: option(ctx, 'master', '') });
}

/** server_id */
export function serverIdGrain(ctx: GrainsContext): Dict {
  const id = option(ctx, 'id', '');
  return dict({ server_id: serverId(typeof id === 'string' ? id : '') });
}

/** append_domain, when the option is set */
export function appendDomainGrain(ctx: GrainsContext): Dict {
  const domain = ctx.opts.get('append_domain') ?? null;
  return domain === null ? dict() : dict({ append_domain: domain });
}

/** machine_id */
export function machineIdGrain({ host }: GrainsContext): Dict {
  const path = ['/etc/machine-id', '/var/lib/dbus/machine-id'].find((x) => host.stat(x));
  return dict({ machine_id: path === undefined ? undefined : host.readText(path)?.trim() });
}

function commandWords(line: string): string[] {
  try {
    return splitWords(line);
  } catch {
    // a quote that is never closed
    return line.split(/\s+/).filter((x) => x !== '');
  }
}

/** kernelparams: `[name, value]` pairs; the value is null unless the word holds exactly one equals sign */
export function kernelParametersGrain({ host }: GrainsContext): Dict {
  const commandLine = host.platform === 'win32' ? undefined : host.readText('/proc/cmdline');
  if (commandLine === undefined) return new Map();
  const pairs = commandWords(commandLine).map((word): Value => {
    const [name = '', value, ...more] = word.split('=');
    return [name, value === undefined || more.length > 0 ? null : value.replace(/^"+|"+$/g, '')];
  });
  return dict({ kernelparams: pairs });
}

/** cwd */
export function workingDirectoryGrain({ host }: GrainsContext): Dict {
  return dict({ cwd: host.workingDirectory() });
}

/** path and systempath */
export function pathGrains({ host }: GrainsContext): Dict {
  const path = (host.env.get('PATH') ?? '').trim();
  return dict({ path, systempath: path.split(host.platform === 'win32' ? ';' : ':') });
}
