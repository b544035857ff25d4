/**
 * One connection to a directory: binding, and searches whose answers are bounded. The library is read when somebody
 * first asks.
 */
import { readFileSync } from 'node:fs';
import { rootCertificates, type ConnectionOptions } from 'node:tls';
import type { Client, Entry } from 'ldapts';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { tlsFault } from '../tls/fault.ts';
import { readAuthorities } from '../tls/files.ts';
import { systemAuthorities } from '../tls/system-authorities.ts';

/** What a connection is made with. */
export interface ConnectionSettings {
  readonly startTls: boolean;
  /** False takes any certificate. */
  readonly verify: boolean;
  /** A file of certificates of authorities; undefined for those of the system. */
  readonly caFile: string | undefined;
  /**
   * The option that names it, and the one with our own certificate, as they stand in the configuration: for messages.
   */
  readonly tlsSettings?: { readonly ca?: string; readonly own?: string };
  readonly timeoutMs: number;
}

/** How a directory is reached. */
export interface DirectorySettings extends ConnectionSettings {
  /** Addresses of servers, tried one after the other. */
  readonly urls: readonly string[];
  /** The options to look at when no server answers. */
  readonly optionNames: string;
}

/** How far below its base a search looks. */
export type LdapScope = 'base' | 'one' | 'sub';

/** An entry: its name, and the values of its attributes, which are named in small letters. */
export interface LdapEntry {
  readonly dn: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** What is looked for. */
export interface LdapSearch {
  readonly base: string;
  readonly filter: string;
  readonly scope: LdapScope;
  readonly attributes: readonly string[];
}

/** A directory while it is asked. */
export interface LdapSession {
  /** @returns false for a name and a password that do not belong together @throws what keeps it from finding out */
  bind(dn: string, password: string): Promise<boolean>;
  search(search: LdapSearch): Promise<LdapEntry[]>;
}

/** Entries that one search may bring: more are an error, not memory. */
const ENTRIES_MAX = 10_000;
const PAGE_SIZE = 500;
/**
 * The error codes of LDAP for a bind that is refused: no such entry, wrong password, not for this entry, expired or
 * locked.
 */
const REFUSED: ReadonlySet<number> = new Set([32, 34, 48, 49, 50, 53]);
const NO_SUCH_OBJECT = 32;

/**
 * Asks the first server that answers, and ends the connection when `run` is done.
 * @param run is begun again with the next server as long as none has answered
 * @throws CommandExecutionError when none answers; what `run` throws
 */
export async function withDirectory<T>(
  settings: DirectorySettings,
  run: (session: LdapSession) => Promise<T>,
): Promise<T> {
  const failures: string[] = [];
  for (const url of settings.urls) {
    const client = await clientOf(url, settings);
    const reached = { isSo: false };
    try {
      if (settings.startTls) await client.startTLS(tlsOptions(url, settings));
      return await run(sessionOf(client, reached));
    } catch (error) {
      if (reached.isSo) throw error;
      failures.push(ldapTlsFault(error, url, settings) ?? `${url}: ${messageOf(error)}`);
    } finally {
      await client.unbind().catch(() => undefined);
    }
  }
  throw new CommandExecutionError(
    `No LDAP server answered (${failures.join('; ').slice(0, 500)}): see ${settings.optionNames}`,
  );
}

/** A client that connects when it is first asked. */
export async function clientOf(url: string, settings: ConnectionSettings): Promise<Client> {
  const { Client: Made } = await import('ldapts');
  return new Made({
    url,
    timeout: settings.timeoutMs,
    connectTimeout: settings.timeoutMs,
    strictDN: false,
    ...(url.startsWith('ldaps:') ? { tlsOptions: tlsOptions(url, settings) } : {}),
  });
}

/** How certificates of a server are verified. */
export function tlsOptions(
  url: string,
  { verify, caFile, tlsSettings }: ConnectionSettings,
): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: verify,
    ca:
      caFile === undefined
        ? [...rootCertificates, ...systemRoots()]
        : readAuthorities(caFile, tlsSettings?.ca ?? 'cacertfile'),
  };
}

/** What went wrong with TLS; undefined for anything else. */
export function ldapTlsFault(
  error: unknown,
  url: string,
  { caFile, tlsSettings }: ConnectionSettings,
): string | undefined {
  return tlsFault(error, { address: url, caFile, caSetting: tlsSettings?.ca, ownSetting: tlsSettings?.own });
}

/** What libldap takes for the authorities. */
function systemRoots(): Buffer[] {
  const path = systemAuthorities();
  try {
    return path === undefined ? [] : [readFileSync(path)];
  } catch {
    return [];
  }
}

/** @param reached set as soon as the server has answered anything */
function sessionOf(client: Client, reached: { isSo: boolean }): LdapSession {
  return {
    bind: async (dn, password) => {
      try {
        await client.bind(dn, password);
        reached.isSo = true;
        return true;
      } catch (error) {
        reached.isSo ||= codeOf(error) >= 0;
        if (REFUSED.has(codeOf(error))) return false;
        throw new CommandExecutionError(messageOf(error), { cause: error });
      }
    },
    search: async (search) => {
      try {
        return await searched(client, search);
      } catch (error) {
        reached.isSo ||= codeOf(error) >= 0;
        if (codeOf(error) === NO_SUCH_OBJECT) return [];
        throw error;
      }
    },
  };
}

async function searched(
  client: Client,
  { base, filter, scope, attributes }: LdapSearch,
): Promise<LdapEntry[]> {
  const found: LdapEntry[] = [];
  const paged = { pageSize: PAGE_SIZE };
  for await (const page of client.searchPaginated(base, {
    filter,
    scope,
    attributes: [...attributes],
    paged,
  })) {
    found.push(...page.searchEntries.map(entryOf));
    if (found.length > ENTRIES_MAX)
      throw new CommandExecutionError(`More than ${ENTRIES_MAX} entries below ${base} fit`);
  }
  return found;
}

function entryOf(entry: Entry): LdapEntry {
  const values = Object.entries(entry)
    .filter(([name]) => name !== 'dn')
    .map(([name, value]) => [name.toLowerCase(), [value].flat().map(String)] as const);
  return { dn: entry.dn, values: new Map(values) };
}

/** The code of LDAP in an error; -1 where there is none. */
export function codeOf(error: unknown): number {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : -1;
}
