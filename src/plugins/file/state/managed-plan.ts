/** The arguments of `file.managed`, looked at and made ready for its steps. */
import { isAbs, isDir, isFile } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
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
  readonly user: Value;
  readonly mode: string | null;
  readonly keepMode: boolean;
  readonly hasSource: boolean;
  readonly contents: Value;
  readonly context: Value;
  readonly selinux: { readonly [Part in (typeof SELINUX)[number]]: Value };
  /** What fits no parameter; templates see it. */
  readonly extra: { readonly [name: string]: Value };
  /** Arguments that all functions on the way of a source take. */
  readonly shared: ReturnType<typeof sharedArguments>;
}

const SELINUX = ['seuser', 'serole', 'setype', 'serange'] as const;

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
  const mode = keepMode ? null : args.mode;
  const part = (name: string): Value => args.selinux.get(name) ?? null;
  return {
    name,
    args,
    user,
    mode,
    keepMode,
    hasSource,
    contents,
    context: args.context ?? new Map(),
    selinux: {
      seuser: part('seuser'),
      serole: part('serole'),
      setype: part('setype'),
      serange: part('serange'),
    },
    extra: Object.fromEntries(
      Array.from(kwargs, ([key, value]) => [pyStr(key), value] as const).filter(([key]) => key !== 'env'),
    ),
    shared: sharedArguments(args, { user, mode, saltenv: environment(ctx) }),
  };
}

function sharedArguments(
  { group, attrs, template, skip_verify }: ManagedArguments,
  { user, mode, saltenv }: { readonly user: Value; readonly mode: Value; readonly saltenv: string },
) {
  return { user, group, mode, attrs, saltenv, template: template ?? null, skip_verify };
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
