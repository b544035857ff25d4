/**
 * `mount`: /etc/filesystems, the table of AIX. On other systems Salt neither reads nor writes it, whatever file is
 * named.
 */
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { CONFIG as TABLE, DEVICE, HOW, NAME, OPTS } from './params.ts';

const CONFIG = { ...TABLE, default: '/etc/filesystems' } as const;

/** Functions about /etc/filesystems. */
export const filesystemsFunctions = {
  filesystems: defineFunction({
    doc: "Lists what AIX mounts at the machine's start; nothing on Linux.",
    params: { config: CONFIG },
    returns: 'an empty mapping',
    examples: ["salt '*' mount.filesystems"],
    run: () => new Map(),
  }),
  rm_filesystems: defineFunction({
    doc: "Has AIX no more mount a file system at the machine's start; does nothing on Linux.",
    params: { name: NAME, device: DEVICE, config: CONFIG },
    returns: 'false',
    examples: ["salt '*' mount.rm_filesystems /mnt/foo /dev/sdg"],
    run: () => false,
  }),
  set_filesystems: defineFunction({
    doc: "Has AIX mount a file system at the machine's start; does nothing on Linux.",
    params: {
      name: NAME,
      device: DEVICE,
      vfstype: param.value({ type: 'str', doc: 'The file system.' }),
      opts: { ...OPTS, default: '-' },
      mount: param.value({
        default: 'true',
        type: 'str',
        doc: "Whether it is mounted at the machine's start.",
      }),
      config: CONFIG,
      ...HOW,
    },
    kwargs: 'kwargs',
    returns: 'null',
    examples: ["salt '*' mount.set_filesystems /mnt/foo /dev/sdz1 jfs2"],
    run: () => null,
  }),
};
