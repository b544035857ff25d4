/**
 * What grains read the machine through. One implementation talks to the operating system (`node-host.ts`), tests bring
 * recorded machines, so that a distribution can be tested on any other.
 *
 * File access is synchronous on purpose: grains read some hundred tiny files, nearly all of them in memory (/proc,
 * /sys), and each takes a few microseconds; a trip through the thread pool would cost ten times as much. What can
 * really wait, programs and name look-ups, is asynchronous and can be cancelled.
 */

/** What `stat` tells about a path, symbolic links followed. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  /** Modification time, milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Everything that tells two files apart; equal texts mean the same file in the same condition. */
  readonly identity: string;
}

/** What uname(2) says. */
export interface Uname {
  /** `Linux`, `Darwin`, `Windows`… */
  readonly kernel: string;
  readonly nodename: string;
  readonly release: string;
  readonly version: string;
  readonly machine: string;
}

/** One address of one network interface. */
export interface InterfaceAddress {
  readonly family: 4 | 6;
  readonly address: string;
  /** The hardware address, `00:00:00:00:00:00` when there is none. */
  readonly hardwareAddress: string;
}

/** What a program printed and how it ended. */
export interface RunResult {
  readonly retcode: number;
  /** Standard output without trailing line ends. */
  readonly stdout: string;
}

/** Bounds of a run: whichever comes first ends the program. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}

/** The user the process runs as. */
export interface UserFacts {
  readonly name: string;
  readonly uid: number;
  /** Effective group of the process. */
  readonly gid: number;
  /** Primary group of the user in the user database. */
  readonly primaryGid: number;
}

/** Names and addresses, asked of whatever the machine is configured to ask. Nothing here throws. */
export interface NameService {
  /** The canonical name of a host name (getaddrinfo's AI_CANONNAME), or undefined when nobody knows it. */
  canonicalName(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** The addresses of a name in one family, each once. */
  addresses(name: string, family: 4 | 6, signal: AbortSignal): Promise<string[]>;
  /** The name of an address followed by its aliases. */
  namesOf(address: string, signal: AbortSignal): Promise<string[]>;
}

/** A machine. Methods that look up something return undefined (or nothing) when it is not there or not readable. */
export interface GrainsHost {
  readonly platform: NodeJS.Platform;
  readonly env: ReadonlyMap<string, string>;
  readonly pid: number;
  readonly names: NameService;
  /** The whole file as UTF-8; bytes that are not become U+FFFD. */
  readText(path: string): string | undefined;
  /** Up to `length` bytes from `offset`. */
  readBytes(path: string, offset: number, length: number): Buffer | undefined;
  /** Names in a folder in the order in which the file system keeps them (Python's order too). */
  list(path: string): string[];
  stat(path: string): FileFacts | undefined;
  /** Where a symbolic link points to. */
  readLink(path: string): string | undefined;
  /** True for a file that this process may execute. */
  isExecutable(path: string): boolean;
  /** Runs a program with the C locale. Undefined when it could not be started, was cancelled or took too long. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult | undefined>;
  uname(): Uname;
  workingDirectory(): string | undefined;
  user(): UserFacts | undefined;
  cpus(): { readonly count: number; readonly model: string | undefined };
  totalMemoryBytes(): number;
  /** Interfaces that are up, by name; a poor second to the `ip` program. */
  networkInterfaces(): ReadonlyMap<string, readonly InterfaceAddress[]>;
  /** Minutes to add to UTC for local time at a moment. */
  utcOffsetMinutes(atMs: number): number;
  /** The folder that we run from, for the grains that name the software. */
  software(): { readonly path: string };
}
