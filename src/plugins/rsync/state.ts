/** `rsync`: folders that are kept the same (3006.16 salt/states/rsync.py). */
import { findProgram } from '../../host/which.ts';
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** The last lines of what rsync says, as a list. */
const summaryOf = (said: string): string =>
  `- ${(said.split('\n\n').at(-1) ?? '')
    .replaceAll('  ', '\n')
    .split('\n')
    .filter((line) => line !== '')
    .join('\n- ')}`;

/** What was copied and removed, empty where nothing was. */
function changesIn(said: string): Dict {
  const lines = (said.split('\n\n')[0] ?? '').split('\n').slice(1);
  const isGone = (line: string): boolean => line.startsWith('deleting ');
  const listOf = (found: readonly string[]): string => [...found].sort().join('\n') || 'N/A';
  const copied = listOf(lines.filter((line) => !isGone(line)));
  const deleted = listOf(lines.filter(isGone).map((line) => line.slice('deleting '.length)));
  return copied === 'N/A' && deleted === 'N/A' ? dict() : dict({ copied, deleted });
}

interface Wanted {
  readonly name: string;
  readonly source: Value;
  readonly force: boolean;
  readonly prepare: boolean;
  readonly dryrun: boolean;
  /** As the function takes them. */
  readonly options: Dict;
}

async function synchronized(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, source, force, prepare } = wanted;
  if (!pathExists(name) && !force && !prepare)
    return failure(name, `Destination directory ${name} was not found.`);
  // Salt compat: Salt makes the folder in test mode, too.
  if (!pathExists(name) && prepare && !ctx.state.test)
    await ctx.functions.call('file.makedirs', [`${name}/`]);
  const isDry = ctx.state.test || wanted.dryrun;
  const keywords = new Map([...wanted.options, ...dict({ force, dryrun: isDry })]);
  const answer = await ctx.functions.call('rsync.rsync', [source, name], keywords);
  const ended: Dict = isDict(answer) ? answer : dict();
  const said = pyStr(ended.get('stdout') ?? '');
  // Salt compat: Salt shows a dry run that failed as one that says nothing.
  if (ended.get('retcode') !== 0) return failure(name, pyStr(ended.get('stderr') ?? ''));
  return isDry ? outcome(name, null, summaryOf(said)) : outcome(name, true, summaryOf(said), changesIn(said));
}

/** The states of `rsync`. */
export const rsyncStates = defineModule({
  name: 'rsync',
  file: 'rsync',
  doc: 'Folders that are kept the same.',
  unavailable: () => (findProgram('rsync') === undefined ? 'Command not found: rsync' : undefined),
  functions: {
    synchronized: defineState({
      doc: 'Makes sure that a folder has what another has.',
      params: {
        name: param.text({ doc: 'The folder: where it goes.' }),
        source: param.value({
          type: 'str',
          doc: 'What is copied: a path, host:path, or an address salt://.',
        }),
        delete: param.value({ default: false, type: 'bool', doc: 'Remove what the source does not have.' }),
        force: param.flag({ default: false, doc: 'Remove folders even when they are not empty.' }),
        update: param.value({ default: false, type: 'bool', doc: 'Leave files alone that are newer.' }),
        passwordfile: param.value({
          default: null,
          type: 'str',
          doc: 'The file with the password of an rsync daemon.',
        }),
        exclude: param.value({ default: null, type: 'list or str', doc: 'What is left out.' }),
        excludefrom: param.value({
          default: null,
          type: 'str',
          doc: 'A file of patterns of what is left out.',
        }),
        prepare: param.flag({ default: false, doc: 'Make the folder where it is not there.' }),
        dryrun: param.flag({ default: false, doc: 'Only say what would be copied.' }),
        additional_opts: param.value({ default: null, type: 'list', doc: 'Further words for rsync.' }),
      },
      run: (ctx, { name, source, force, prepare, dryrun, ...options }) =>
        synchronized(ctx, { name, source, force, prepare, dryrun, options: dict(options) }),
    }),
  },
});
