/** `tuned`: profiles of the machine's tuning, by tuned-adm. Follows 3006.16 salt/modules/tuned.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { splitLines } from '../../python/values/text.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll, runCode, runText } from '../shared/program.ts';

const WARNINGS = '** COLLECTED WARNINGS **';

async function profiles(ctx: ModuleContext): Promise<string[]> {
  const lines = splitLines(await runText(ctx, ['tuned-adm', 'list'])).slice(1);
  const warned = lines.indexOf(WARNINGS);
  // the last line is that of the current profile
  const listed = (warned < 0 ? lines : lines.slice(0, Math.max(0, warned - 1))).slice(0, -1);
  return listed.map((line) => (line.split('- ')[1] ?? '').trim());
}

/** The module. */
export const tunedModule = defineModule({
  name: 'tuned',
  file: 'tuned',
  doc: "Profiles of the machine's tuning, by tuned-adm.",
  words: {},
  unavailable: () =>
    findProgram('tuned-adm') === undefined
      ? 'The tuned execution module failed to load: the tuned-adm binary is not in the path.'
      : undefined,
  failsWith: { false: ['off', 'profile'] },
  functions: {
    list: defineFunction({
      doc: 'Lists the profiles.',
      returns: 'list of names',
      examples: ["salt '*' tuned.list"],
      pythonName: 'list_',
      run: profiles,
    }),
    active: defineFunction({
      doc: 'Returns the active profile.',
      returns: 'its name; `none` where there is none',
      examples: ["salt '*' tuned.active"],
      run: async (ctx) => {
        const { retcode, stdout } = await runAll(ctx, ['tuned-adm', 'active'], { ignore_retcode: true });
        if (retcode !== 0) return 'none';
        const [, found] = /^Current active profile: (\w+.*)/.exec(stdout) ?? [];
        if (found === undefined)
          throw new CommandExecutionError(`tuned-adm active does not name a profile: ${stdout}`);
        return found;
      },
    }),
    off: defineFunction({
      doc: 'Turns all profiles off.',
      returns: 'true or false',
      examples: ["salt '*' tuned.off"],
      run: async (ctx) => (await runCode(ctx, ['tuned-adm', 'off'])) === 0,
    }),
    profile: defineFunction({
      doc: 'Activates a profile.',
      params: { profile_name: param.text({ doc: 'The profile.' }) },
      returns: 'its name; false where it could not be',
      examples: ["salt '*' tuned.profile virtual-guest"],
      run: async (ctx, { profile_name }) =>
        (await runCode(ctx, ['tuned-adm', 'profile', profile_name])) === 0 ? profile_name : false,
    }),
  },
});
