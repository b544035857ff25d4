/** `file`: states of files, folders and links. Follows 3006.16 salt/states/file.py; the parts are in `file/`. */
import { defineModule } from '../../runtime/loader/module.ts';
import { accumulatorStates } from './state/accumulators.ts';
import { appendStates } from './state/append.ts';
import { blockStates } from './state/block.ts';
import { cachedStates } from './state/cached.ts';
import { commentStates } from './state/comment.ts';
import { copyStates } from './state/copy.ts';
import { withParentsChecked } from './state/missing-parents.ts';
import { decodeStates } from './state/decode.ts';
import { directoryStates } from './state/directory.ts';
import { editStates } from './state/edit.ts';
import { hardlinkStates } from './state/hardlink.ts';
import { keyvalueStates } from './state/keyvalue.ts';
import { managedStates } from './state/managed.ts';
import { mknodStates } from './state/mknod.ts';
import { otherStates } from './state/others.ts';
import { patchStates } from './state/patch.ts';
import { recurseStates } from './state/recurse.ts';
import { removalStates } from './state/removal.ts';
import { retentionStates } from './state/retention.ts';
import { serializeStates } from './state/serialize.ts';
import { symlinkStates } from './state/symlink.ts';
import { tidiedStates } from './state/tidied.ts';
import { touchStates } from './state/touch.ts';

/** The states of `file`. */
export const fileStates = defineModule({
  name: 'file',
  file: 'file',
  doc: 'Files, folders and links as they are to be: content, owner, mode, and what is not to be there.',
  needs: { fun: 'file.file_exists', otherwise: 'file module could not be loaded' },
  functions: withParentsChecked({
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
  }),
});
