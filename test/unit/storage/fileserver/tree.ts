/** A folder of files for the file server's tests, and a server on it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FileServer } from '../../../../src/storage/fileserver/file-server.ts';
import { openFileServer } from '../../../../src/storage/fileserver/open.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';

/** A folder of files and a file server on it. */
export interface Tree {
  readonly folder: string;
  /** Writes files: path below the folder to content. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** A server with `file_roots` `{base: [base], dev: [dev]}` and other options. */
  server(options?: DictInit): FileServer;
  /** Asks a server as a request does. */
  ask(server: FileServer, cmd: string, load: DictInit): Promise<Value>;
}

/** Makes the folder; it goes away with the test. */
export function makeTree(t: TestContext): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'bt-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['base', 'dev', 'cache']) mkdirSync(join(folder, name));
  return {
    folder,
    write: (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
    },
    server: (options = {}) => {
      const opts: Dict = new Map([
        ...dict({
          cachedir: join(folder, 'cache'),
          file_roots: { base: [join(folder, 'base')], dev: [join(folder, 'dev')] },
        }),
        ...dict(options),
      ]);
      return openFileServer({ opts, clock: systemClock, random: systemRandom, log: silentLogger });
    },
    ask: async (server, cmd, load) => {
      const serve = server.commands.get(cmd);
      if (serve === undefined) throw new Error(`no command ${cmd}`);
      return serve(dict(load));
    },
  };
}
