/** `config.*`: the master's options (salt/runners/config.py, 3006.16). */
import { traverse } from '../data/traverse.ts';
import { pyStr } from '../values/repr.ts';
import { defineRunner, defineRunners } from './runner.ts';

/** The config runner. */
export const configRunners = defineRunners({
  name: 'config',
  doc: 'The configuration of the master.',
  functions: {
    get: defineRunner({
      doc: 'Gives an option of the master, or something nested in it.',
      params: {
        key: { type: 'str', doc: 'Name of the option; further levels behind the delimiter.' },
        default: { default: '', type: 'any', doc: 'What to give when there is no such thing.' },
        delimiter: { default: ':', type: 'str', doc: 'What stands between levels.' },
      },
      returns: 'the value',
      examples: [
        'salt-run config.get gitfs_remotes',
        'salt-run config.get file_roots:base',
        "salt-run config.get file_roots,base delimiter=','",
      ],
      run: (ctx, args) =>
        traverse(ctx.settings, pyStr(args.key), { delimiter: pyStr(args.delimiter), fallback: args.default }),
    }),
  },
});
