/**
 * Calls of functions of the master that were recorded with a real Salt, the folder that they are made on, and how
 * answers are compared.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { dict } from '../../src/python/values/value.ts';
import { makeSaltKeyFolder, type RecordedKeys } from './salt-key-folder.ts';

/** A call, and for `salt-run` its words. */
export type MasterFunctionCase =
  | { readonly run: readonly string[] }
  | { readonly wheel: string; readonly arg?: readonly unknown[]; readonly kwarg?: Record<string, unknown> };

/** What came of it. */
export interface MasterFunctionOutcome {
  readonly stdout?: string;
  readonly code?: number;
  readonly return?: unknown;
  readonly success?: boolean;
  /** Key files, and others that wheel functions write. */
  readonly files?: readonly string[];
}

/** One line of the recording. */
export interface RecordedCase {
  readonly call: MasterFunctionCase;
  readonly salt: MasterFunctionOutcome;
  /** Where ours differs: why, and what ours does. */
  readonly differs?: string;
  readonly ours?: MasterFunctionOutcome;
}

/** Makes the folder anew. */
export function makeMasterFunctionFolder(root: string, keys: RecordedKeys): void {
  makeSaltKeyFolder(root, keys);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const lines = [
    `root_dir: ${root}`,
    `pki_dir: ${root}/pki`,
    `cachedir: ${root}/cache`,
    `sock_dir: ${root}/run`,
    `log_file: ${root}/log/master`,
    `extension_modules: ${root}/cache/extmods`,
    'user: root',
    'id: vm_master',
    'interface: 127.0.0.1',
    'ret_port: 21001',
    `file_roots: {base: [${root}/srv, ${root}/srv2], dev: [${root}/dev]}`,
    `pillar_roots: {base: [${root}/pillar]}`,
    'nodegroups: {group1: "L@web1,db1"}',
    'timeout: 1',
    'job_cache: False',
    '',
  ];
  write('etc/master', lines.join('\n'));
  write('srv/a.sls', 'a: 1\n');
  write('srv/sub/b.txt', 'text b\n');
  write('srv/sub/bytes', Buffer.from([0, 1, 2, 255]));
  write('srv2/a.sls', 'a: 2\n');
  write('dev/only.txt', 'dev\n');
  write('pillar/top.sls', "base:\n  '*': [data]\n");
  write('pillar/data.sls', 'word: hello\nlist: [1, 2]\n');
  for (const id of ['gone', 'new1']) rmSync(join(root, 'cache', 'minions', id), { recursive: true });
  for (const [id, os] of [
    ['web1', 'Debian'],
    ['db1', 'Rocky'],
  ] as const) {
    const grains = dict({ id, os, ipv4: ['127.0.0.1'], fqdn: `${id}.example` });
    write(`cache/minions/${id}/data.p`, encode(dict({ grains, pillar: dict({ word: 'hello' }) }), 'local'));
    write(`cache/minions/${id}/mine.p`, encode(dict({ 'test.echo': `mine of ${id}` }), 'local'));
  }
}

/** Files that are looked at after a wheel function. */
export function filesAfter(root: string): string[] {
  const out: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else out.push(relative(root, path));
    }
  };
  for (const name of ['etc', 'pki', 'srv', 'srv2', 'dev', 'pillar']) walk(join(root, name));
  return out.sort();
}

/** A text as it is compared: no folder, job id, key or time of its own, no frames of a traceback, no usage. */
export function comparableText(text: string, root: string): string {
  return text
    .replaceAll(root, 'ROOT')
    .replaceAll(/\d{20}/g, 'JID')
    .replaceAll(/\d{4}, \w{3} \d\d [\d:.]+/g, 'TIME')
    .replace(/Traceback \(most recent call last\):\n[^]*\n(?=[\w.]+(?::|\n|$)[^\n]*\n?$)/, 'Traceback: ')
    .replace(/Traceback \(most recent call last\):\n/, 'Traceback: ')
    .replaceAll(/-----BEGIN [\w ]+-----[^-]+-----END [\w ]+-----\\?n?/g, 'PEM')
    .replace(/(Passed invalid arguments:[^\n]*\n\nUsage:)[^]*/, '$1');
}

/** A text that another text in JSON is, as exceptions are printed. */
function textInJson(text: string): string | undefined {
  try {
    const inside = JSON.parse(text) as unknown;
    return typeof inside === 'string' ? inside : undefined;
  } catch {
    return undefined;
  }
}

/** The same for anything that JSON can say. */
export function comparable<T>(value: T, root: string): T {
  if (typeof value === 'string') return comparableText(textInJson(value) ?? value, root) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => comparable(item, root)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      comparableText(key, root),
      comparable(item as unknown, root),
    ]),
  ) as T;
}
