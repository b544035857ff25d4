/** The types that SELinux gives to ports (3006.16 salt/modules/selinux.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runStdout } from '../../shared/program.ts';

/** A port, or several that follow each other. */
export interface PortName {
  readonly protocol: string;
  readonly port: string;
}

const PORT = /^(tcp|udp)\/(\d+-?\d+)$/;

/** Reads `tcp/8080` and `udp/100-200`, or the protocol and the port apart. @throws SaltInvocationError */
export function portName(name: string, protocol: string, port: string): PortName {
  const texts = [name, `${protocol}/${port}`];
  const [, found, number] = texts.map((text) => PORT.exec(text)).find((match) => match !== null) ?? [];
  if (found === undefined || number === undefined)
    throw new SaltInvocationError(
      `Invalid name "${name}" format and protocol and port not provided or invalid: "${protocol}" "${port}".`,
    );
  return { protocol: found, port: number };
}

/** The type of a port, with all ports of that type; null where it has none. @param selType only this type */
export async function portPolicy(
  ctx: ModuleContext,
  { protocol, port }: PortName,
  selType: string | undefined,
): Promise<Dict | null> {
  for (const line of splitLines(await runStdout(ctx, ['semanage', 'port', '-l'], { ignore_retcode: true }))) {
    const [, type, given, list] = /^(\w+) +(\w+) +([\d\-, ]+)/.exec(line) ?? [];
    if (type === undefined || given !== protocol || list === undefined) continue;
    const isType = selType === undefined || type === selType;
    if (isType && list.split(',').some((one) => one.trim() === port))
      return dict({ sel_type: type, protocol: given, port: list.trim() });
  }
  return null;
}
