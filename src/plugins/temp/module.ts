/** `temp`: temporary files and folders. Follows 3006.16 salt/modules/temp.py. */
import { mkdirSync } from 'node:fs';
import { makeTempFile, tempPath } from '../../host/file-operations.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';

const NAME = {
  suffix: param.textOrEmpty({ default: '', doc: 'The end of the name.' }),
  prefix: param.text({ default: 'tmp', doc: 'The beginning of the name.' }),
  parent: param.textIfGiven({
    default: null,
    doc: 'The folder that it is in; that of the system without it.',
  }),
} as const;

/** The module. */
export const tempModule = defineModule({
  name: 'temp',
  file: 'temp',
  doc: 'Temporary files and folders.',
  words: { dashes: ['suffix', 'prefix'] },
  functions: {
    dir: defineFunction({
      doc: 'Makes a temporary folder.',
      params: NAME,
      returns: 'its path',
      examples: ["salt '*' temp.dir", "salt '*' temp.dir prefix='mytemp-' parent='/var/run/'"],
      run: ({ random }, { suffix, prefix, parent }) => {
        const path = tempPath(random, {
          prefix,
          suffix,
          ...(parent === undefined ? {} : { folder: parent }),
        });
        mkdirSync(path, { mode: 0o700 });
        return path;
      },
    }),
    file: defineFunction({
      doc: 'Makes an empty temporary file.',
      params: NAME,
      returns: 'its path',
      examples: ["salt '*' temp.file", "salt '*' temp.file prefix='mytemp-' parent='/var/run/'"],
      run: ({ random }, { suffix, prefix, parent }) =>
        makeTempFile(random, { suffix, prefix, ...(parent === undefined ? {} : { folder: parent }) }),
    }),
  },
});
