/** `file`: everything about files. Follows 3006.16 salt/modules/file.py; the parts are in `file/`. */
import { defineModule } from '../../runtime/loader/module.ts';
import { attributeFunctions } from './module/attributes.ts';
import { backupFunctions } from '../shared/backups.ts';
import { blockFunctions } from './module/block.ts';
import { commentFunctions } from './module/comment.ts';
import { contentFunctions } from './module/content.ts';
import { deviceFunctions } from './module/devices.ts';
import { differenceFunctions } from './module/difference.ts';
import { findFunctions } from './module/find.ts';
import { hashFunctions } from './module/hashes.ts';
import { lineFunctions } from './module/line.ts';
import { checkFunctions } from './module/managed-checks.ts';
import { manageFunctions } from './module/manage.ts';
import { openFilesFunctions } from './module/open-files.ts';
import { ownerFunctions } from './module/owner.ts';
import { permissionFunctions } from './module/permissions.ts';
import { placeFunctions } from './module/places.ts';
import { replaceFunctions } from './module/replace.ts';
import { sedFunctions } from './module/sed.ts';
import { selinuxFunctions } from './module/selinux.ts';
import { sourceFunctions } from './module/sources.ts';
import { statsFunctions } from './module/stats.ts';

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
