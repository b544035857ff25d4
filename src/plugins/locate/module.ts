/** `locate`: finding files by their names in a database. Follows 3006.16 salt/modules/locate.py. */
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { splitLines } from '../../python/values/text.ts';
import { runText } from '../shared/program.ts';

/** The letters of locate for what is said. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['basename', 'b'],
  ['count', 'c'],
  ['existing', 'e'],
  ['follow', 'L'],
  ['ignore', 'i'],
  ['nofollow', 'P'],
  ['wholename', 'w'],
]);

const lines = async (ctx: ModuleContext, words: readonly Value[]): Promise<string[]> =>
  splitLines(await runText(ctx, words));

function figuresIn(said: readonly string[]): Dict {
  const found = dict();
  for (const line of said) {
    const [first = '', ...rest] = line.trim().split(/\s+/);
    if (line.startsWith('Database')) found.set('database', (rest[0] ?? '').replaceAll(':', ''));
    else found.set(rest.join(' '), first);
  }
  return found;
}

/** The module. */
export const locateModule = defineModule({
  name: 'locate',
  file: 'locate',
  doc: 'Finding files by their names in a database (`locate`).',
  words: {},
  unavailable: () =>
    findProgram('locate') === undefined
      ? 'The locate execution module cannot be loaded: locate is not in the path; the package plocate or mlocate has it.'
      : undefined,
  functions: {
    version: defineFunction({
      doc: 'Returns the version of locate.',
      returns: 'list of lines',
      examples: ["salt '*' locate.version"],
      run: (ctx) => lines(ctx, ['locate', '-V']),
    }),
    stats: defineFunction({
      doc: 'Returns what the database has.',
      returns: 'mapping with database, and of word to figure',
      examples: ["salt '*' locate.stats"],
      run: async (ctx) => figuresIn(await lines(ctx, ['locate', '-S'])),
    }),
    updatedb: defineFunction({
      doc: 'Makes the database anew.',
      returns: 'list of lines',
      examples: ["salt '*' locate.updatedb"],
      run: (ctx) => lines(ctx, ['updatedb']),
    }),
    locate: defineFunction({
      doc: 'Finds files. Keywords that are true: basename, count, existing, follow, ignore, nofollow, wholename, regex.',
      params: {
        pattern: param.text({ doc: 'What is looked for.' }),
        database: param.textOrEmpty({ default: '', doc: 'The database.' }),
        limit: param.count({ default: 0, doc: 'At most how many.' }),
      },
      kwargs: 'kwargs',
      returns: 'list of paths',
      examples: ["salt '*' locate.locate", "salt '*' locate.locate foo limit=4 basename=True"],
      run: (ctx, { pattern, database, limit }, _rest, kwargs) => {
        const isSaid = (name: Value): boolean => truthy(kwargs.get(name) ?? null);
        const letters = [...kwargs.keys()].flatMap((name) =>
          isSaid(name) ? [LETTERS.get(pyStr(name)) ?? ''] : [],
        );
        return lines(ctx, [
          'locate',
          ...(letters.join('') === '' ? [] : [`-${letters.join('')}`]),
          ...(database === '' ? [] : ['-d', database]),
          ...(limit > 0 ? ['-l', String(limit)] : []),
          ...(isSaid('regex') ? ['--regex'] : []),
          pattern,
        ]);
      },
    }),
  },
});
