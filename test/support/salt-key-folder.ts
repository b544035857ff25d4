/** The folder on which the runs of the real `salt-key` in test/fixtures/keys were recorded. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Texts of the keys in the folder. */
export interface RecordedKeys {
  readonly a: string;
  readonly b: string;
  readonly fake: string;
}

/** Makes configuration, keys and caches below `root`, anew. */
export function makeSaltKeyFolder(root: string, keys: RecordedKeys): void {
  rmSync(root, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const folders = ['minions', 'minions_pre', 'minions_rejected', 'minions_denied', 'minions_autosign'];
  for (const folder of [...folders.map((name) => `pki/${name}`), 'run', 'log', 'work']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  chmodSync(join(root, 'pki'), 0o700);
  write(
    'etc/master',
    `root_dir: ${root}\npki_dir: ${root}/pki\ncachedir: ${root}/cache\nsock_dir: ${root}/run\n` +
      `log_file: ${root}/log/master\nkey_logfile: ${root}/log/key\nuser: root\n`,
  );
  for (const id of ['web1', 'db1']) write(`pki/minions/${id}`, keys.a);
  for (const id of ['New2', 'new1', 'new3']) write(`pki/minions_pre/${id}`, keys.b);
  write('pki/minions_pre/bad1', 'garbage\n');
  write('pki/minions_rejected/rej1', keys.b);
  for (const id of ['den1', 'web1']) write(`pki/minions_denied/${id}`, keys.b);
  write('pki/minions/.key_cache', '');
  write('pki/master.pem', keys.fake);
  write('pki/master.pub', keys.a);
  for (const id of ['web1', 'db1', 'gone', 'new1']) {
    write(`cache/minions/${id}/data.p`, 'x\n');
    write(`cache/sessions/${id}`, 's\n');
  }
}

/** Every file and empty folder below a folder, with its permission bits in octal. */
export function fileModes(folder: string): Record<string, string> {
  const out: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory() && readdirSync(child).length > 0) walk(child);
      else out[relative(folder, child)] = (lstatSync(child).mode & 0o7777).toString(8);
    }
  };
  walk(folder);
  return out;
}
