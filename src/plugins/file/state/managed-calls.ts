/** The execution functions that do the work of `file.managed`, called with the arguments of its plan. */
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { HeldFiles } from '../../../host/held-files.ts';
import { encodedContents } from '../../shared/encode-text.ts';
import type { FunctionCaller } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../../shared/state-function.ts';
import type { Plan } from './managed-plan.ts';
import type { Fetched, Source } from './managed-source.ts';

/** What would change. */
export function callCheckManagedChanges(ctx: StateContext, plan: Plan, chosen: Source): Promise<Value> {
  const { args } = plan;
  return ctx.functions.call(
    'file.check_managed_changes',
    [],
    new Map([
      ...plan.extra,
      ...plan.selinux,
      ...sourceArguments(plan, chosen),
      ...dict({
        contents: encodedContents(plan.contents, args.encoding, args.encoding_errors),
        skip_verify: args.skip_verify,
        keep_mode: plan.keepMode,
        verify_ssl: args.verify_ssl,
        follow_symlinks: args.follow_symlinks,
      }),
    ]),
  );
}

/**
 * The functions through which a source passes. What a template gives needs no file of its own on the way from one to
 * the other, unless one of them is the site's, which would find nothing at the path.
 */
export async function fileFunctions(ctx: StateContext): Promise<FunctionCaller> {
  for (const fun of ['file.get_managed', 'file.manage_file'])
    if ((await ctx.functions.find(fun)).spec?.knowsHeld !== true) return ctx.functions;
  // inherits: a context gets some of its parts when they are asked for
  const holding = Object.create(ctx, { held: { value: new HeldFiles() } }) as StateContext;
  return ctx.functions.within(() => holding);
}

/** Fetches and renders the source. */
export function callGetManaged(functions: FunctionCaller, plan: Plan, chosen: Source): Promise<Value> {
  const { skip_verify, verify_ssl, use_etag } = plan.args;
  return functions.call(
    'file.get_managed',
    [],
    new Map([
      ...plan.extra,
      ...sourceArguments(plan, chosen),
      ...dict({ skip_verify, verify_ssl, use_etag }),
    ]),
  );
}

/** The arguments that `check_managed_changes` and `get_managed` share. */
function sourceArguments(plan: Plan, { source, sourceHash }: Source): Dict {
  const { args } = plan;
  return dict({
    name: plan.name,
    source,
    source_hash: sourceHash,
    source_hash_name: args.source_hash_name,
    user: plan.user,
    group: args.group,
    mode: plan.mode,
    attrs: args.attrs,
    template: args.template ?? null,
    context: plan.context,
    defaults: args.defaults,
    saltenv: plan.saltenv,
  });
}

/** Puts the fetched source, or the contents, to a path. @param name the path */
export function callManageFile(
  functions: FunctionCaller,
  plan: Plan,
  name: string,
  { sfn, source, sum }: Fetched,
  ret: Dict,
): Promise<Value> {
  const { args } = plan;
  return functions.call(
    'file.manage_file',
    [],
    new Map([
      ...plan.extra,
      ...plan.selinux,
      ...dict({
        name,
        sfn,
        ret,
        source,
        source_sum: sum,
        user: plan.user,
        group: args.group,
        mode: plan.mode,
        attrs: args.attrs,
        saltenv: plan.saltenv,
        backup: args.backup,
        makedirs: args.makedirs,
        template: args.template ?? null,
        show_changes: args.show_changes,
        contents: plan.contents,
        dir_mode: args.dir_mode,
        follow_symlinks: args.follow_symlinks,
        skip_verify: args.skip_verify,
        keep_mode: plan.keepMode,
        encoding: args.encoding,
        encoding_errors: args.encoding_errors,
        use_etag: args.use_etag,
      }),
    ]),
  );
}
