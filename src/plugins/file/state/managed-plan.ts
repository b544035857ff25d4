/** The arguments of `file.managed`, looked at and made ready for its steps. */
import { isAbs, isDir, isFile } from '../../../python/paths.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { askedUser, missingOwner } from './checks.ts';
import { givenContents, FileRefusal } from './managed-contents.ts';
import type { ManagedArguments } from './managed-params.ts';
import { environment, type FileOutcome } from './outcome.ts';

/** What the steps know, worked out of the arguments. */
export interface Plan {
  readonly name: string;
  readonly args: ManagedArguments;
  readonly saltenv: string;
  readonly user: Value;
  readonly mode: string | null;
  readonly keepMode: boolean;
  readonly hasSource: boolean;
  readonly contents: Value;
  readonly context: Value;
  readonly selinux: Dict;
  /** What fits no parameter; templates see it. */
  readonly extra: Dict;
}

/** Makes the plan. @throws FileRefusal for what Salt refuses before it touches anything */
export async function planOf(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Plan> {
  const { name } = args;
  if (name === '') throw new FileRefusal('Destination file name is required');
  const keepMode = args.mode?.toLowerCase() === 'keep';
  const hasSource = truthy(args.source);
  assertOneContent(args, { keepMode, hasSource });
  if (kwargs.has('file_mode')) {
    outcome.warn(
      "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions.",
    );
  }
  const contents = await givenContents(ctx, args);
  const user = askedUser(ctx, args.user, kwargs);
  if (!args.create && !isFile(name))
    throw new FileRefusal(`File ${name} is not present and is not set for creation`, true);
  const missing = await missingOwner(ctx, { user, group: args.group });
  if (missing !== '') throw new FileRefusal(missing);
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  if (isDir(name)) throw new FileRefusal(`Specified target ${name} is a directory`);
  if (args.context !== null && !isDict(args.context))
    throw new FileRefusal('Context must be formed as a dict');
  if (truthy(args.defaults) && !isDict(args.defaults))
    throw new FileRefusal('Defaults must be formed as a dict');
  return {
    name,
    args,
    saltenv: environment(ctx),
    user,
    mode: keepMode ? null : args.mode,
    keepMode,
    hasSource,
    contents,
    context: args.context ?? new Map(),
    selinux: new Map(
      ['seuser', 'serole', 'setype', 'serange'].map((part): [Value, Value] => [
        part,
        args.selinux.get(part) ?? null,
      ]),
    ),
    extra: new Map([...kwargs].filter(([key]) => key !== 'env')),
  };
}

/** The arguments that bring content without a source. */
export const CONTENT_NAMES = ['contents', 'contents_pillar', 'contents_grains'] as const;

function assertOneContent(
  args: ManagedArguments,
  { keepMode, hasSource }: Pick<Plan, 'keepMode' | 'hasSource'>,
): void {
  const count = CONTENT_NAMES.filter((name) => args[name] !== null).length;
  if (hasSource && count > 0) {
    throw new FileRefusal(
      "'source' cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'",
    );
  }
  if (keepMode && count > 0) {
    throw new FileRefusal(
      "Mode preservation cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'",
    );
  }
  if (count > 1)
    throw new FileRefusal("Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted");
}
