/** `qemu_img`: disks of virtual machines in files. Follows 3006.16 salt/modules/qemu_img.py. */
import { dirname } from 'node:path';
import { findProgram } from '../../host/which.ts';
import { isDir } from '../../python/paths.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll, runCode } from '../shared/program.ts';

const FORMAT = { fmt: param.text({ doc: 'The format: qcow2, raw.' }) } as const;

/** The module. */
export const qemuImgModule = defineModule({
  name: 'qemu_img',
  file: 'qemu_img',
  doc: 'Disks of virtual machines in files.',
  unavailable: () =>
    findProgram('qemu-img') === undefined
      ? 'The qemu_img execution module cannot be loaded: the qemu-img binary is not in the path.'
      : undefined,
  words: {},
  failsWith: { text: ['convert'], empty: ['make_image'] },
  functions: {
    make_image: defineFunction({
      doc: 'Makes an empty disk.',
      params: {
        location: param.text({ doc: 'The file.' }),
        size: param.text({ doc: 'MiB.' }),
        ...FORMAT,
      },
      returns: 'the file; empty where it cannot be made',
      examples: ["salt '*' qemu_img.make_image /tmp/image.qcow 2048 qcow2"],
      run: async (ctx, { location, size, fmt }) => {
        if (!location.startsWith('/') || !isDir(dirname(location))) return '';
        const code = await runCode(ctx, ['qemu-img', 'create', '-f', fmt, location, `${size}M`]);
        return code === 0 ? location : '';
      },
    }),
    convert: defineFunction({
      doc: 'Makes a disk of another, in another format.',
      params: {
        orig: param.text({ doc: 'The file that is there.' }),
        dest: param.text({ doc: 'The new file.' }),
        ...FORMAT,
      },
      returns: 'true, or what qemu-img says',
      examples: ["salt '*' qemu_img.convert /path/to/original.img /path/to/new.img qcow2"],
      run: async (ctx, { orig, dest, fmt }) => {
        const { retcode, stderr } = await runAll(ctx, ['qemu-img', 'convert', '-O', fmt, orig, dest]);
        return retcode === 0 ? true : stderr;
      },
    }),
  },
});
