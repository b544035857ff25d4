/** What minions ask the file server for, as rows of the table behind the door (wire-protocol.md, 5.8). */
import type { AesHandler } from '../../channel/door.ts';
import { FileServer } from '../../fileserver/file-server.ts';
import { fileServerSettings } from '../../fileserver/settings.ts';
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
