/** The machine this process runs on. */
import { spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  opendirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import { createNameService } from './name-service.ts';
import type { FileFacts, GrainsHost, InterfaceAddress, RunOptions, RunResult, UserFacts } from './host.ts';

const RUN_TIMEOUT_MS = 10_000;
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024;

/** Makes the host of this process. */
export function nodeGrainsHost(): GrainsHost {
  const env = new Map(
    Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v] as const])),
  );
  const files = { readText, readBytes, list, stat, readLink, isExecutable };
  const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult | undefined> =>
    runProgram(argv, env, options);
  return {
    ...files,
    platform: process.platform,
    env,
    pid: process.pid,
    names: createNameService({ ...files, run }),
    run,
    uname: () => ({
      kernel: kernelName(),
      nodename: os.hostname(),
      release: os.release(),
      version: os.version(),
      machine: os.machine(),
    }),
    workingDirectory: () => orUndefined(() => process.cwd()),
    user,
    cpus: () => ({ count: os.cpus().length, model: os.cpus()[0]?.model.trim() }),
    totalMemoryBytes: () => os.totalmem(),
    networkInterfaces,
    utcOffsetMinutes: (atMs) => -new Date(atMs).getTimezoneOffset(),
    software: () => ({ path: import.meta.dirname }),
  };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const readText = (path: string): string | undefined => orUndefined(() => readFileSync(path, 'utf8'));
const readLink = (path: string): string | undefined => orUndefined(() => readlinkSync(path));

function readBytes(path: string, offset: number, length: number): Buffer | undefined {
  return orUndefined(() => {
    const fd = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
    } finally {
      closeSync(fd);
    }
  });
}

/** `readdir` would sort; Salt's lists (disks) keep the order of the file system. */
function list(path: string): string[] {
  return (
    orUndefined(() => {
      const names: string[] = [];
      const dir = opendirSync(path);
      try {
        for (let entry = dir.readSync(); entry; entry = dir.readSync()) names.push(entry.name);
      } finally {
        dir.closeSync();
      }
      return names;
    }) ?? []
  );
}

function stat(path: string): FileFacts | undefined {
  const facts = orUndefined(() => statSync(path, { throwIfNoEntry: false }));
  if (!facts) return undefined;
  const { mode, ino, dev, nlink, uid, gid, size } = facts;
  const times = [facts.atimeMs, facts.mtimeMs, facts.ctimeMs].map((ms) => Math.trunc(ms / 1000));
  return {
    kind: facts.isFile() ? 'file' : facts.isDirectory() ? 'directory' : 'other',
    modifiedMs: facts.mtimeMs,
    identity: [mode, ino, dev, nlink, uid, gid, size, ...times].join(' '),
  };
}

function isExecutable(path: string): boolean {
  if (orUndefined(() => statSync(path, { throwIfNoEntry: false }))?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function kernelName(): string {
  return process.platform === 'win32' ? 'Windows' : os.type();
}

function user(): UserFacts | undefined {
  return orUndefined(() => {
    const facts = os.userInfo();
    return {
      name: facts.username,
      uid: process.geteuid?.() ?? facts.uid,
      gid: process.getegid?.() ?? facts.gid,
      primaryGid: facts.gid,
    };
  });
}

function networkInterfaces(): Map<string, InterfaceAddress[]> {
  const out = new Map<string, InterfaceAddress[]>();
  for (const [name, addresses] of Object.entries(orUndefined(() => os.networkInterfaces()) ?? {})) {
    out.set(
      name,
      (addresses ?? []).map((a) => ({
        family: a.family === 'IPv4' ? 4 : 6,
        address: a.address,
        hardwareAddress: a.mac,
      })),
    );
  }
  return out;
}

/**
 * Not `runProcess`: that one takes care of jobs (process groups, named pipes, limits), which costs more than these
 * small programs of the system themselves.
 */
function runProgram(
  argv: readonly string[],
  env: ReadonlyMap<string, string>,
  options: RunOptions,
): Promise<RunResult | undefined> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...Object.fromEntries(env), LC_ALL: 'C', LANGUAGE: 'C' },
      timeout: options.timeoutMs ?? RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      ...(options.signal ? { signal: options.signal } : {}),
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > OUTPUT_MAX_BYTES) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => {
      const stdout = Buffer.concat(chunks)
        .toString('utf8')
        .replace(/[\r\n]+$/, '');
      resolve(code === null ? undefined : { retcode: code, stdout });
    });
  });
}
