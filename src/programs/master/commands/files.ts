/**
 * What minions ask the file server for, as rows of the table behind the door (salt/fileserver/__init__.py, 3006.16).
 */
import type { AesHandler } from '../../../network/channel/door.ts';
import { openFileServer } from '../../../storage/fileserver/open.ts';
import type { RoleContext } from '../roles/role.ts';
import { fileRecvHandler } from './file-recv.ts';

/** The commands that read files, and the one that takes some, by name. */
export function fileHandlers({
  opts,
  clock,
  random,
  log,
}: Pick<RoleContext, 'opts' | 'clock' | 'random' | 'log'>): [string, AesHandler][] {
  const server = openFileServer({ opts: opts.toDict(), clock, random, log });
  const reading = [...server.commands].map(([name, serve]): [string, AesHandler] => [
    name,
    async ({ load }) => ({ value: await serve(load) }),
  ]);
  return [...reading, ['_file_recv', fileRecvHandler({ opts, clock, log })]];
}
