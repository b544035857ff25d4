/** Parameters that several functions of `mount` have. */

/** The mount point. */
export const NAME = param.text({ doc: 'The mount point.' });
/** The device. */
export const DEVICE = param.text({ doc: 'The device.' });
/** The file system. */
export const FSTYPE = param.text({ doc: 'The file system.' });
/** The options; the default differs. */
export const OPTS = param.value({ type: 'str or list', doc: 'The options.' });
/** The table; the default differs. */
export const CONFIG = param.text({ doc: 'The table.' });
/** How an entry is put into a table. */
export const HOW = {
  test: param.strictFlag({ default: false, doc: 'Change nothing, only tell.' }),
  match_on: param.value({
    default: 'auto',
    type: 'str or list',
    doc: 'By which columns the old entry is found.',
  }),
  not_change: param.flag({ default: false, doc: 'Leave an entry that is there as it is.' }),
} as const;
/** What a function that puts an entry into a table gives. */
export const SET = '`new`, `present` or `change`';
import { param } from '../../../runtime/loader/params.ts';
