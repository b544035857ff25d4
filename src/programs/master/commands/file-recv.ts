/**
 * `_file_recv`: a minion pushes a file (`cp.push`) into `<cachedir>/minions/<id>/files` (salt/master.py `_file_recv`,
 * 3006.16; CVE-2024-38824).
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import type { AesHandler } from '../../../network/channel/door.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import { diskRefusal, writing } from '../../../host/disk-refusal.ts';
import { safeJoin } from '../../../host/files.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import type { Logger } from '../../../host/log.ts';
import { rareLines } from '../../../host/rare-lines.ts';
import { toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { asBytes } from '../../../formats/wire/msgpack.ts';
import { countedLines } from '../counted-log.ts';
import { refusalFor } from '../../../network/channel/refusal.ts';
import { PushedFiles } from './pushed-files.ts';

/** What taking files needs. */
export interface FileRecvHandlerDeps {
  readonly opts: MasterOptions;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

const PARTS_MAX = 256;
const NO_BEGINNING = 'a piece before this one is missing';

/** Serves `_file_recv`: true when the piece was stored. */
export function fileRecvHandler({ opts, clock, log }: FileRecvHandlerDeps): AesHandler {
  const warn = countedLines(log, 'warning');
  const pushed = new PushedFiles(clock);
  const full = rareLines(clock, (text) => log.error(text));
  return ({ id, load }) => {
    if (!opts.get('file_recv'))
      return answer(load, 'The master takes no files; file_recv: True in its configuration has it do so.');
    try {
      return { value: receive(opts, pushed, id, load) };
    } catch (error) {
      const refusal = diskRefusal(error);
      if (refusal !== undefined) {
        full('', `A file pushed by the minion ${id} is not kept: ${refusal.message}`);
        return answer(load, 'The disk of the master takes nothing at the moment; its log names the folder.');
      }
      warn(id, `A file pushed by the minion ${id} was refused: ${messageOf(error)}.`);
      // what the system says names paths of the master, which are none of a minion's business
      return answer(
        load,
        error instanceof RefusedFile ? `The master says: ${error.message}.` : 'Its log says why.',
      );
    }
  };
}

/** Salt's False, or the reason for a minion that asks for it. */
function answer(load: Dict, reason: string): { readonly value: Value } {
  return { value: refusalFor(load, reason, false) };
}

/** A file that is not taken for what it is. */
class RefusedFile extends Error {}

function receive(opts: MasterOptions, pushed: PushedFiles, id: string, load: Dict): boolean {
  const at = toNumber(load.get('loc'));
  const data = asBytes(load.get('data'));
  const parts = pathParts(load.get('path'));
  if (at === undefined || data === undefined || parts === undefined) return false;
  if (!Number.isSafeInteger(at) || at < 0) throw new RefusedFile('the position is not one');
  const megabytes = opts.get('file_recv_max_size');
  if (at + data.length > megabytes * 1024 * 1024)
    throw new RefusedFile(`it is larger than file_recv_max_size allows (${megabytes} MB)`);
  const root = safeJoin(join(opts.get('cachedir'), 'minions'), id, 'files');
  const path = safeJoin(root, ...parts);
  if (at > 0 && !existsSync(path)) throw new RefusedFile(NO_BEGINNING);
  const entriesMax = opts.get('file_recv_max_files');
  if (!pushed.take(root, path, entriesMax))
    throw new RefusedFile(
      `this minion would have more files and folders there than file_recv_max_files allows (${entriesMax}); ` +
        `remove what is not needed from ${join('minions', id, 'files')} in its cachedir, or raise the option`,
    );
  makeFolders(dirname(path), 0o700);
  // no link that somebody has put there leads out of the folder
  if (!`${realpathSync(dirname(path))}/`.startsWith(`${realpathSync(root)}/`))
    throw new RefusedFile('its folder is a link that leads elsewhere');
  writePiece(path, at, data);
  return true;
}

function pathParts(value: Value | undefined): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > PARTS_MAX) return undefined;
  const parts = value.filter((part) => typeof part === 'string');
  if (parts.length !== value.length) return undefined;
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('/')))
    throw new RefusedFile('its path has parts that are no names');
  return parts;
}

/** Salt compat: Salt appends whatever the position is, so that a piece sent twice is in the file twice. */
function writePiece(path: string, at: number, data: Buffer): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    if (fstatSync(fd).size < at) throw new RefusedFile(NO_BEGINNING);
    writing(path, () => {
      for (let done = 0; done < data.length;)
        done += writeSync(fd, data, done, data.length - done, at + done);
      ftruncateSync(fd, at + data.length);
    });
  } finally {
    closeSync(fd);
  }
}
