/** `config.*`: the master's options (salt/runners/config.py, 3006.16). */
import { traverse } from '../../formats/data/traverse.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

/** The config runner. */
export const configRunners = defineRunners({
  name: 'config',
  doc: 'The configuration of the master.',
  functions: {
    get: defineRunner({
      doc: 'Gives an option of the master, or something nested in it.',
      params: {
        key: param.text({ doc: 'Name of the option; further levels behind the delimiter.' }),
        default: { default: '', type: 'any', doc: 'What to give when there is no such thing.' },
        delimiter: param.text({ default: ':', doc: 'What stands between levels.' }),
      },
      returns: 'the value',
      examples: [
        'salt-run config.get gitfs_remotes',
        'salt-run config.get file_roots:base',
        "salt-run config.get file_roots,base delimiter=','",
      ],
      run: (ctx, args) =>
        traverse(ctx.settings, args.key, { delimiter: args.delimiter, fallback: args.default }),
    }),
  },
});
