/** Tables of `mount`: what is mounted now, and what a file of mounts names. */
import { answered, readDict } from '../../../runtime/loader/answered.ts';

/** `mount.active`, by folder. */
export const activeMounts = answered('mount.active', readDict);

/** `mount.fstab`, by folder; swap by its device. */
export const fstabEntries = answered('mount.fstab', readDict);
