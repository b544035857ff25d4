/** `firewall-cmd`, and what it prints (3006.16 salt/modules/firewalld.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll } from '../../shared/program.ts';

/**
 * Runs `firewall-cmd`. Salt compat: each argument is one word of it, where Salt makes one line of all and splits it
 * again.
 * @returns what it printed
 * @throws CommandExecutionError with its complaint
 */
export async function firewall(ctx: ModuleContext, words: readonly string[]): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, [programPath('firewall-cmd'), ...words]);
  if (retcode === 0) return stdout;
  throw new CommandExecutionError(`firewall-cmd failed: ${stderr === '' ? stdout : stderr}`);
}

/** What is asked of a zone (the default zone without one), in the configuration that is kept or that of now. */
export interface ZoneAt {
  readonly zone: string | undefined;
  readonly permanent: boolean;
}

/** The words of a command on a zone. */
export function zoneWords({ zone, permanent }: ZoneAt, word: string): string[] {
  return [...(zone === undefined ? [] : [`--zone=${zone}`]), word, ...(permanent ? ['--permanent'] : [])];
}

/** The words that a command prints. */
export async function printedWords(ctx: ModuleContext, words: readonly string[]): Promise<string[]> {
  return (await firewall(ctx, words)).split(/\s+/).filter((word) => word !== '');
}

/**
 * Zones as `--list-all` and `--list-all-zones` print them: by name, each with lists of what stands behind its options.
 */
export function zonesIn(text: string): Dict {
  const zones = dict();
  let [zone, list]: [Dict, string[]] = [dict(), []];
  for (const line of splitLines(text)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (/^[a-z0-9]/i.test(line)) zones.set(line.trimEnd(), (zone = dict()));
    else if (line.startsWith('\t')) list.push(line.trim());
    else if (colon >= 0) {
      list = [line.slice(colon + 1).trim()];
      zone.set(line.slice(0, colon).trim(), list);
    }
  }
  return zones;
}

/** Whether addresses are masqueraded in a zone. */
export async function isMasquerading(ctx: ModuleContext, at: ZoneAt): Promise<boolean> {
  const zones = zonesIn(await firewall(ctx, zoneWords(at, '--list-all')));
  return ![...zones.values()].some((zone) => {
    const said = isDict(zone) ? zone.get('masquerade') : undefined;
    return Array.isArray(said) && said[0] === 'no';
  });
}

/** The port forwards of a zone. Salt compat: an address of IPv6 keeps its colons, at which Salt stumbles. */
export async function portForwards(ctx: ModuleContext, at: ZoneAt): Promise<Dict[]> {
  return splitLines(await firewall(ctx, zoneWords(at, '--list-forward-ports'))).map((line) => {
    const [, port, protocol, toPort, address] =
      /^port=([^:]*):proto=([^:]*):toport=([^:]*):toaddr=(.*)$/.exec(line.trim()) ?? [];
    if (port === undefined || protocol === undefined || toPort === undefined || address === undefined)
      throw new CommandExecutionError(`firewall-cmd printed no port forward: ${line}`);
    return dict({
      'Source port': port,
      Protocol: protocol,
      'Destination port': toPort,
      'Destination address': address,
    });
  });
}

/** A forward as `--add-forward-port` and `--remove-forward-port` take it. */
export interface Forward {
  readonly src: string;
  readonly dest: string;
  readonly proto: string;
  readonly dstaddr: string;
}

/** The word of {@link Forward}. */
export function forwardWord({ src, dest, proto, dstaddr }: Forward): string {
  return `port=${src}:proto=${proto}:toport=${dest}:toaddr=${dstaddr}`;
}

/** Adds or removes a zone or a service, and has the rules read again. @param restart whether they are read again */
export async function manage(ctx: ModuleContext, word: string, restart: boolean): Promise<string> {
  const said = await firewall(ctx, [word, '--permanent']);
  return restart && said === 'success' ? firewall(ctx, ['--reload']) : said;
}
