/** A machine made of recorded files and programs. */
import type { GrainsHost, NameService, RunResult } from '../../../../src/plugins/grains/core/host.ts';

/** What a test machine has; everything else is missing. */
export interface Machine {
  /** Contents by path; folders exist where files are below them. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly links?: Readonly<Record<string, string>>;
  /** Installed programs by name: what they print (and end with 0), or a function of their arguments. */
  readonly programs?: Readonly<Record<string, string | ((args: readonly string[]) => RunResult | undefined)>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly names?: Partial<NameService>;
  readonly platform?: NodeJS.Platform;
  readonly kernel?: string;
  readonly nodename?: string;
  readonly release?: string;
  readonly version?: string;
  readonly utcOffsetMinutes?: number;
}

/** A host over a {@link Machine}, and the programs that were run on it. */
export function fakeHost(machine: Machine): GrainsHost & { readonly ran: string[] } {
  const files = new Map(Object.entries(machine.files ?? {}));
  const programs = new Map(Object.entries(machine.programs ?? {}));
  const links = new Map(Object.entries(machine.links ?? {}));
  const ran: string[] = [];
  const bytes = (path: string): Buffer | undefined => {
    const content = files.get(path);
    return typeof content === 'string' ? Buffer.from(content) : content;
  };
  const below = (path: string): string[] => [
    ...new Set(
      [...files.keys(), ...links.keys()]
        .filter((x) => x.startsWith(`${path}/`))
        .map((x) => x.slice(path.length + 1).split('/')[0] ?? ''),
    ),
  ];
  return {
    ran,
    platform: machine.platform ?? 'linux',
    env: new Map(Object.entries(machine.env ?? {})),
    pid: 4711,
    names: {
      canonicalName: () => Promise.resolve(undefined),
      addresses: () => Promise.resolve([]),
      namesOf: () => Promise.resolve([]),
      ...machine.names,
    },
    readText: (path) => bytes(path)?.toString('utf8'),
    readBytes: (path, offset, length) => bytes(path)?.subarray(offset, offset + length),
    list: below,
    stat(path) {
      const kind = files.has(path) ? 'file' : below(path).length > 0 ? 'directory' : undefined;
      return kind && { kind, modifiedMs: 0, identity: path };
    },
    readLink: (path) => links.get(path),
    isExecutable: (path) => path.startsWith('/usr/bin/') && programs.has(path.slice('/usr/bin/'.length)),
    run(argv) {
      const name = (argv[0] ?? '').split('/').at(-1) ?? '';
      ran.push([name, ...argv.slice(1)].join(' '));
      const program = programs.get(name);
      if (program === undefined) return Promise.resolve(undefined);
      const result = typeof program === 'string' ? { retcode: 0, stdout: program } : program(argv.slice(1));
      return Promise.resolve(result);
    },
    uname: () => ({
      kernel: machine.kernel ?? 'Linux',
      nodename: machine.nodename ?? 'web1',
      release: machine.release ?? '6.1.0',
      version: machine.version ?? '#1 SMP',
      machine: 'x86_64',
    }),
    workingDirectory: () => '/',
    user: () => ({ name: 'root', uid: 0, gid: 0, primaryGid: 0 }),
    cpus: () => ({ count: 8, model: 'Apple M2' }),
    totalMemoryBytes: () => 16 * 1024 ** 3,
    networkInterfaces: () =>
      new Map([['en0', [{ family: 4, address: '192.0.2.9', hardwareAddress: '00:11:22:33:44:55' }]]]),
    utcOffsetMinutes: () => machine.utcOffsetMinutes ?? 0,
    software: () => ({ path: '/opt/brine' }),
  };
}
