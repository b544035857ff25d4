/** `file`: everything about files. Follows 3006.16 salt/modules/file.py; the parts are in `file/`. */
import { defineModule } from '../../runtime/loader/module.ts';
import { attributeFunctions } from './file/attributes.ts';
import { backupFunctions } from './file/backups.ts';
import { blockFunctions } from './file/block.ts';
import { commentFunctions } from './file/comment.ts';
import { contentFunctions } from './file/content.ts';
import { deviceFunctions } from './file/devices.ts';
import { differenceFunctions } from './file/difference.ts';
import { findFunctions } from './file/find.ts';
import { hashFunctions } from './file/hashes.ts';
import { lineFunctions } from './file/line.ts';
import { checkFunctions } from './file/managed-checks.ts';
import { manageFunctions } from './file/manage.ts';
import { openFilesFunctions } from './file/open-files.ts';
import { ownerFunctions } from './file/owner.ts';
import { permissionFunctions } from './file/permissions.ts';
import { placeFunctions } from './file/places.ts';
import { replaceFunctions } from './file/replace.ts';
import { sedFunctions } from './file/sed.ts';
import { selinuxFunctions } from './file/selinux.ts';
import { sourceFunctions } from './file/sources.ts';
import { statsFunctions } from './file/stats.ts';

/** The module. */
export const fileModule = defineModule({
  name: 'file',
  file: 'file',
  doc: 'Looks at files, edits them, and makes sure of their content, owner and mode.',
  unavailable: () =>
    process.platform === 'win32'
      ? 'The file execution module cannot be loaded: only available on non-Windows systems - use win_file instead.'
      : undefined,
  failsWith: {
    text: ['chgrp', 'chown', 'lchown'],
    false: [
      'check_managed',
      'check_managed_changes',
      'chattr',
      'remove',
      'rmdir',
      'restorecon',
      'sed',
      'set_selinux_context',
    ],
  },
  functions: {
    ...statsFunctions,
    ...ownerFunctions,
    ...attributeFunctions,
    ...hashFunctions,
    ...findFunctions,
    ...contentFunctions,
    ...replaceFunctions,
    ...blockFunctions,
    ...lineFunctions,
    ...commentFunctions,
    ...sedFunctions,
    ...placeFunctions,
    ...permissionFunctions,
    ...deviceFunctions,
    ...backupFunctions,
    ...selinuxFunctions,
    ...sourceFunctions,
    ...differenceFunctions,
    ...checkFunctions,
    ...manageFunctions,
    ...openFilesFunctions,
  },
});
