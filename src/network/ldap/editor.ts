/**
 * One connection to a directory on which entries are read as they are, and changed. What the server refuses is told as
 * OpenLDAP tells it.
 */
import { existsSync } from 'node:fs';
import type { Change, Client } from 'ldapts';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { readCertificate, readPrivateKey } from '../tls/files.ts';
import {
  clientOf,
  codeOf,
  ldapTlsFault,
  tlsOptions,
  type ConnectionSettings,
  type LdapScope,
} from './directory.ts';
import { LDAP_RESULTS } from './results.ts';

/** How the server is reached, and by which certificates. */
export interface EditorSettings extends ConnectionSettings {
  /** `ldap://`, `ldaps://`, or `ldapi://` with the path of a socket, in which slashes are `%2F`. */
  readonly url: string;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

/** An entry with the bytes of its values, names of attributes as the server writes them. */
export interface RawEntry {
  readonly dn: string;
  readonly values: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** What is looked for. */
export interface RawSearch {
  readonly base: string;
  readonly scope: LdapScope;
  readonly filter: string;
  readonly attributes: readonly string[];
  /** Only which attributes there are. */
  readonly namesOnly: boolean;
}

/** A change of one attribute. No values: all of them. */
export interface AttributeChange {
  readonly operation: 'add' | 'delete' | 'replace';
  readonly name: string;
  readonly values: readonly Uint8Array[];
}

/** What is known of a problem. */
interface ProblemFacts {
  /** The code of LDAP, or of libldap where it is negative. */
  readonly code: number;
  /** What the server says besides. */
  readonly info?: string;
  /** The number of the system's error, where there is one. */
  readonly errno?: number | undefined;
  /** The kind of the answer, and which one of the connection it is; undefined where there was none. */
  readonly answer?: { readonly kind: number; readonly id: number };
}

/** What a server has refused, or why it could not be asked. */
export class LdapProblem extends Error {
  override readonly name = 'LdapProblem';
  readonly facts: ProblemFacts;
  constructor(facts: ProblemFacts, cause: unknown) {
    super(LDAP_RESULTS.get(facts.code)?.text ?? `LDAP error ${facts.code}`, { cause });
    this.facts = facts;
  }
}

const SERVER_DOWN = -1;
const FILTER_ERROR = -7;
/** The tags of LDAP's answers. */
const ANSWERS = { bind: 97, search: 101, modify: 103, add: 105, delete: 107, extended: 120 } as const;
/** Entries that one search may bring: more are an error, not memory. */
const ENTRIES_MAX = 10_000;
/** Where libldap looks for the socket of a server on this machine. */
const SOCKETS = ['/var/run/slapd/ldapi', '/var/run/ldapi', '/run/slapd/ldapi', '/run/ldapi'];

/**
 * Opens a connection, runs something with it and ends it.
 * @throws LdapProblem, CommandExecutionError for an address that cannot be one, and what `run` throws
 */
export async function withEditor<T>(
  settings: EditorSettings,
  run: (editor: DirectoryEditor) => Promise<T>,
): Promise<T> {
  const client = await open(settings);
  try {
    return await run(new DirectoryEditor(client, settings));
  } finally {
    await client.unbind().catch(() => undefined);
  }
}

async function open(settings: EditorSettings): Promise<Client> {
  const { url } = settings;
  const [, scheme, rest = ''] = /^(ldaps?|ldapi):\/\/(.*)$/i.exec(url) ?? [];
  if (scheme === undefined)
    throw new CommandExecutionError(
      `${url} is no address of LDAP: it begins with ldap://, ldaps:// or ldapi://`,
    );
  if (scheme.toLowerCase() !== 'ldapi') return clientOf(url, settings);
  const client = await clientOf('ldap://localhost', settings);
  // the library hands its port to `connect`, which takes a path in that place
  return Object.assign(client, { port: socketOf(rest) });
}

function socketOf(rest: string): string {
  const given = decodeURIComponent(rest.replace(/[/?].*$/, ''));
  return given === '' ? (SOCKETS.find((path) => existsSync(path)) ?? (SOCKETS[0] as string)) : given;
}

/** A connection while it is used. */
export class DirectoryEditor {
  readonly #client: Client;
  readonly #settings: EditorSettings;
  #count = 0;

  constructor(client: Client, settings: EditorSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  async startTls(): Promise<void> {
    const { url, certFile, keyFile } = this.#settings;
    const own = {
      ...(certFile === undefined ? {} : { cert: readCertificate(certFile, 'certfile') }),
      ...(keyFile === undefined ? {} : { key: readPrivateKey(keyFile, 'keyfile') }),
    };
    await this.#ask('extended', () => this.#client.startTLS({ ...tlsOptions(url, this.#settings), ...own }));
  }

  async bind(dn: string, password: string): Promise<void> {
    await this.#ask('bind', () => this.#client.bind(dn, password));
  }

  /** Binds as whom the server sees at the other end: of a socket its user, of TLS its certificate. */
  async bindExternal(): Promise<void> {
    await this.#ask('bind', () => this.#client.bindSASL('EXTERNAL'));
  }

  async search({ base, scope, filter, attributes, namesOnly }: RawSearch): Promise<RawEntry[]> {
    const { searchEntries } = await this.#ask('search', () =>
      this.#client.search(base, {
        scope,
        filter,
        attributes: [...attributes],
        returnAttributeValues: !namesOnly,
      }),
    );
    if (searchEntries.length > ENTRIES_MAX)
      throw new CommandExecutionError(`More than ${ENTRIES_MAX} entries below ${base} fit`);
    return searchEntries.map(({ dn, ...values }) => ({
      dn,
      values: new Map(
        Object.entries(values).map(([name, value]) => [name, [value].flat().map((one) => Buffer.from(one))]),
      ),
    }));
  }

  async add(dn: string, attributes: ReadonlyMap<string, readonly Uint8Array[]>): Promise<void> {
    const { Attribute } = await import('ldapts');
    const made = [...attributes].map(
      ([type, values]) => new Attribute({ type, values: values.map((one) => Buffer.from(one)) }),
    );
    await this.#ask('add', () => this.#client.add(dn, made));
  }

  async modify(dn: string, changes: readonly AttributeChange[]): Promise<void> {
    const library = await import('ldapts');
    const made = changes.map(({ operation, name, values }): Change => {
      const attribute = { type: name, values: values.map((one) => Buffer.from(one)) };
      return new library.Change({ operation, modification: new library.Attribute(attribute) });
    });
    await this.#ask('modify', () => this.#client.modify(dn, made));
  }

  async delete(dn: string): Promise<void> {
    await this.#ask('delete', () => this.#client.del(dn));
  }

  async #ask<T>(kind: keyof typeof ANSWERS, ask: () => Promise<T>): Promise<T> {
    const id = ++this.#count;
    try {
      return await ask();
    } catch (error) {
      const code = codeOf(error);
      if (code >= 0)
        throw new LdapProblem({ code, info: infoOf(error), answer: { kind: ANSWERS[kind], id } }, error);
      const errno = errnoOf(error);
      const fault = ldapTlsFault(error, this.#settings.url, this.#settings);
      if (fault !== undefined) throw new LdapProblem({ code: SERVER_DOWN, info: fault, errno }, error);
      // the filter is read here, and everything else that has no code of LDAP is a connection that is none
      const isFilter =
        kind === 'search' && errno === undefined && !/connect|socket|time/i.test(messageOf(error));
      if (isFilter) throw new LdapProblem({ code: FILTER_ERROR }, error);
      throw new LdapProblem({ code: SERVER_DOWN, info: messageOf(error), errno }, error);
    }
  }
}

/** The number that the system has for an error. */
function errnoOf(error: unknown): number | undefined {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number'
    ? Math.abs(error.errno)
    : undefined;
}

/** What the server says, without what the library puts around it. */
function infoOf(error: unknown): string {
  return messageOf(error).replace(/ Code: 0x[0-9a-f]+$/, '');
}
