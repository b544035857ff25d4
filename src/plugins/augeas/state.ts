/** `augeas`: configuration files, changed as trees (3006.16 salt/states/augeas.py). */
import { readBytes } from '../../host/file-operations.ts';
import { dirName, isFile } from '../../python/paths.ts';
import { unifiedDiff } from '../../python/text/unified-diff.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOf, readCommand } from './module/commands.ts';
import { executeCommands } from './module/execute.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** Folders as `augeas.execute` takes them; undefined for what is no list of them. */
const foldersOf = (value: Value): string | null | undefined => {
  if (value === null) return null;
  return Array.isArray(value) ? value.map(pyStr).join(':') : undefined;
};

interface Change {
  readonly name: Value;
  readonly context: string | undefined;
  readonly changes: readonly string[];
  readonly lens: string | undefined;
  readonly loadPath: Value;
}

/** Commands without a context must all be about one file, so that its difference can be shown. */
function filePath(changes: readonly string[]): { readonly file: string } | { readonly error: string } {
  let file: string | undefined;
  for (const text of changes) {
    const command = readCommand(text);
    if ('error' in command)
      return {
        error: command.error.startsWith('Command')
          ? command.error
          : `Invalid formatted command, see debug log for details: ${text}`,
      };
    const path = pathOf(command);
    if (!path.startsWith('/files'))
      return { error: `Changes should be prefixed with /files if no context is provided, change: ${text}` };
    const own = path.replace(/^\/files|\/$/g, '');
    if (file !== undefined && fileOf(file) !== fileOf(own))
      return {
        error: `Changes should be made to one file at a time, detected changes to ${file} and ${own}`,
      };
    file = own;
  }
  return { file: file ?? '' };
}

/** The file that a path leads into; undefined where none is on its way. */
function fileOf(path: string): string | undefined {
  for (let at = path; at !== '/' && at !== ''; at = dirName(at)) if (isFile(at)) return at;
  return undefined;
}

function linesOf(file: string | undefined): string[] {
  if (file === undefined || !isFile(file)) return [];
  return readBytes(file)
    .toString('utf8')
    .split(/(?<=\n)/);
}

async function changed(ctx: StateContext, given: Change): Promise<StateResult> {
  const { name, context, changes, lens } = given;
  const made = (result: boolean | null, comment: string, by = dict()): StateResult => ({
    ...{ name, result, comment, changes: by },
  });
  const found = context === undefined ? filePath(changes) : { file: context.replace(/^\/files|\/$/g, '') };
  if ('error' in found) return made(false, `Error: ${found.error}`);
  const file = context === undefined ? fileOf(found.file) : found.file;
  if (ctx.state.test) {
    const tried = await executeCommands(
      ctx,
      { ...given, commands: changes, load_path: given.loadPath },
      true,
    );
    if (tried.error !== undefined) return made(false, `Error: ${tried.error}`);
    // Salt compat: Salt tells in test mode neither that something would be changed nor that a command is wrong.
    const where = context === undefined ? '' : ` in file "${context}":\n`;
    return made(tried.isChange ? null : true, `Executing commands${where}${changes.join('\n')}`);
  }
  const before = linesOf(file);
  const words = dict({
    context: context ?? null,
    lens: lens ?? null,
    commands: [...changes],
    load_path: given.loadPath,
  });
  const answer = await ctx.functions.call('augeas.execute', [], words);
  const field = (key: string): Value => (isDict(answer) ? (answer.get(key) ?? null) : null);
  if (field('retval') !== true) return made(false, `Error: ${pyStr(field('error'))}`);
  if (file === undefined || !isFile(file))
    return made(true, 'Changes have been saved', dict({ updates: [...changes] }));
  const diff = unifiedDiff(before, linesOf(file), { from: '', to: '' }).join('');
  return diff === '' ? made(true, 'No changes made') : made(true, 'Changes have been saved', dict({ diff }));
}

/** The states of `augeas`. */
export const augeasStates = defineModule({
  name: 'augeas',
  file: 'augeas',
  doc: 'Configuration files, changed as trees of values.',
  needs: { fun: 'augeas.execute', otherwise: 'augeas module could not be loaded' },
  functions: {
    change: defineState({
      doc: 'Makes changes to a configuration file: set, setm, mv, ins and rm.',
      params: {
        name: param.text({ doc: 'What this is called.' }),
        context: param.textOrNone({
          default: null,
          doc: 'The file, as /files/etc/hosts, which stands before each path.',
        }),
        changes: param.listIfGiven({ default: null, doc: 'The commands; required.' }),
        lens: param.textIfGiven({
          default: null,
          doc: 'The lens for the file of the context, as Hosts.lns.',
        }),
        load_path: param.by(foldersOf, { default: null, type: 'list', doc: 'Folders with further lenses.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, { name, context, changes, lens, load_path }) => {
        const wrong = (comment: string): StateResult => ({ name, result: false, comment, changes: dict() });
        if (changes === undefined || changes.length === 0)
          return wrong("'changes' must be specified as a list");
        if (load_path === undefined) return wrong("'load_path' must be specified as a list");
        if (context !== undefined && !context.startsWith('/'))
          return wrong(`context must be a path of the tree, such as /files/etc/hosts, not '${context}'`);
        return changed(ctx, { name, context, changes: changes.map(pyStr), lens, loadPath: load_path });
      },
    }),
  },
});
