/** What minions ask the file server for, as rows of the table behind the door (salt/fileserver/__init__.py, 3006.16). */
import type { AesHandler } from '../../../network/channel/door.ts';
import { FileServer } from '../../../storage/fileserver/file-server.ts';
import { fileServerSettings } from '../../../storage/fileserver/settings.ts';
import type { RoleContext } from '../roles/role.ts';
import { fileRecvHandler } from './file-recv.ts';

/** The commands that read files, and the one that takes some, by name. */
export function fileHandlers({
  opts,
  clock,
  log,
}: Pick<RoleContext, 'opts' | 'clock' | 'log'>): [string, AesHandler][] {
  const server = new FileServer({ settings: fileServerSettings(opts.toDict(), log), clock, log });
  const reading = [...server.commands].map(([name, serve]): [string, AesHandler] => [
    name,
    async ({ load }) => ({ value: await serve(load) }),
  ]);
  return [...reading, ['_file_recv', fileRecvHandler({ opts, log })]];
}
