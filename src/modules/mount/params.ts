/** Parameters that several functions of `mount` have. */

/** The mount point. */
export const NAME = { type: 'str', doc: 'The mount point.' } as const;
/** The device. */
export const DEVICE = { type: 'str', doc: 'The device.' } as const;
/** The file system. */
export const FSTYPE = { type: 'str', doc: 'The file system.' } as const;
/** The options; the default differs. */
export const OPTS = { type: 'str or list', doc: 'The options.' } as const;
/** The table; the default differs. */
export const CONFIG = { type: 'str', doc: 'The table.' } as const;
/** How an entry is put into a table. */
export const HOW = {
  test: { default: false, type: 'bool', doc: 'Change nothing, only tell.' },
  match_on: { default: 'auto', type: 'str or list', doc: 'By which columns the old entry is found.' },
  not_change: { default: false, type: 'bool', doc: 'Leave an entry that is there as it is.' },
} as const;
/** What a function that puts an entry into a table gives. */
export const SET = '`new`, `present` or `change`';
