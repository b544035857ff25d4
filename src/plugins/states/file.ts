/** `file`: states of files, folders and links. Follows 3006.16 salt/states/file.py; the parts are in `file/`. */
import { defineModule } from '../../runtime/loader/module.ts';
import { accumulatorStates } from './file/accumulators.ts';
import { appendStates } from './file/append.ts';
import { blockStates } from './file/block.ts';
import { cachedStates } from './file/cached.ts';
import { commentStates } from './file/comment.ts';
import { copyStates } from './file/copy.ts';
import { decodeStates } from './file/decode.ts';
import { directoryStates } from './file/directory.ts';
import { editStates } from './file/edit.ts';
import { hardlinkStates } from './file/hardlink.ts';
import { keyvalueStates } from './file/keyvalue.ts';
import { managedStates } from './file/managed.ts';
import { mknodStates } from './file/mknod.ts';
import { otherStates } from './file/others.ts';
import { patchStates } from './file/patch.ts';
import { recurseStates } from './file/recurse.ts';
import { removalStates } from './file/removal.ts';
import { retentionStates } from './file/retention.ts';
import { serializeStates } from './file/serialize.ts';
import { symlinkStates } from './file/symlink.ts';
import { tidiedStates } from './file/tidied.ts';
import { touchStates } from './file/touch.ts';

/** The states of `file`. */
export const fileStates = defineModule({
  name: 'file',
  file: 'file',
  doc: 'Files, folders and links as they are to be: content, owner, mode, and what is not to be there.',
  needs: { fun: 'file.file_exists', otherwise: 'file module could not be loaded' },
  functions: {
    ...managedStates,
    ...directoryStates,
    ...recurseStates,
    ...symlinkStates,
    ...hardlinkStates,
    ...removalStates,
    ...tidiedStates,
    ...editStates,
    ...blockStates,
    ...commentStates,
    ...appendStates,
    ...keyvalueStates,
    ...patchStates,
    ...touchStates,
    ...copyStates,
    ...accumulatorStates,
    ...serializeStates,
    ...mknodStates,
    ...decodeStates,
    ...cachedStates,
    ...retentionStates,
    ...otherStates,
  },
});
