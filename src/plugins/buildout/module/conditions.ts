/** Where a buildout is, whose it is, and when nothing is done (3006.16 salt/modules/zcbuildout.py). */
import { absPath, pathExists } from '../../../python/paths.ts';
import { dict, truthy, type Value } from '../../../python/values/value.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { lineCode } from '../../shared/program.ts';

/** What all functions are told. */
export const COMMON = {
  directory: param.text({ default: '.', doc: 'The folder of the buildout.' }),
  onlyif: param.value({
    default: null,
    type: 'str or bool',
    doc: 'Nothing is done unless this command ends well.',
  }),
  unless: param.value({
    default: null,
    type: 'str or bool',
    doc: 'Nothing is done where this command ends well.',
  }),
  runas: param.textIfGiven({ default: null, doc: 'The user.' }),
  env: param.value({ default: null, type: 'dict', doc: 'Variables of the programs.' }),
} as const;
/** The arguments that all functions have. */
export type Common = TypedArguments<typeof COMMON>;

/** Whether a condition keeps the function from doing anything. @returns what is said then */
export async function keptBy(
  ctx: ModuleContext,
  { directory, onlyif, unless, runas, env }: Common,
): Promise<string | undefined> {
  if (!pathExists(directory)) return undefined;
  const holds = async (condition: Value): Promise<boolean> => {
    if (typeof condition !== 'string') return truthy(condition);
    const keywords = dict({ cwd: absPath(directory), runas: runas ?? null, env, python_shell: false });
    return (await lineCode(ctx, [condition], keywords)) === 0;
  };
  if (onlyif !== null && !(await holds(onlyif))) return 'onlyif condition is false';
  return unless !== null && (await holds(unless)) ? 'unless condition is true' : undefined;
}
