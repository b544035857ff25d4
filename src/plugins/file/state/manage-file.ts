/** `file.manage_file` with the arguments of a plan. */
import type { Dict, Value } from '../../../python/values/value.ts';
import type { FunctionCaller } from '../../../runtime/loader/module.ts';
import type { Plan } from './managed-plan.ts';
import type { Fetched } from './managed-source.ts';

/** Puts the fetched source, or the contents, to a path. @param name the path */
export function manageFile(
  functions: FunctionCaller,
  { args, contents, keepMode, ...plan }: Plan,
  name: string,
  { sfn, source, sum }: Fetched,
  ret: Dict,
): Promise<Value> {
  const { backup, makedirs, show_changes, dir_mode, follow_symlinks, encoding, encoding_errors, use_etag } =
    args;
  return functions.call('file.manage_file', [], {
    ...plan.extra,
    ...plan.selinux,
    ...plan.shared,
    ...{ name, sfn, ret, source, source_sum: sum, contents, keep_mode: keepMode },
    ...{ backup, makedirs, show_changes, dir_mode, follow_symlinks, encoding, encoding_errors, use_etag },
  });
}
