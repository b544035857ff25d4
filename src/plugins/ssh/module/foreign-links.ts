/**
 * Links on the way to a user's file. The folders of a user are the user's: with a link in the place of `~/.ssh`, or of
 * the file in it, root would write the user's key into the file of somebody else.
 */
import { lstatSync, statSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';

/**
 * Refuses a path that leads, through a link that root has not made, to what does not belong to the user.
 * Salt compat: Salt follows every link.
 * @param path absolute
 * @param uid whose file it is to be
 * @throws CommandExecutionError
 */
export function refuseForeignLinks(path: string, uid: number): void {
  if (process.geteuid?.() !== 0) return;
  const link = firstForeignLink(path);
  if (link === undefined || statSync(path, { throwIfNoEntry: false })?.uid === uid) return;
  throw new CommandExecutionError(
    `${path} was left as it is: ${link} is a link that root has not made, and it leads to what does not belong to the user. ` +
      'Remove the link, or name the file itself.',
  );
}

function firstForeignLink(path: string): string | undefined {
  const names = path.split('/').filter((name) => name !== '');
  return names
    .map((_name, i) => `/${names.slice(0, i + 1).join('/')}`)
    .find((prefix) => {
      const stat = lstatSync(prefix, { throwIfNoEntry: false });
      return stat !== undefined && stat.isSymbolicLink() && stat.uid !== 0;
    });
}
