/** Files from the master or from an address, brought here by the functions of `cp`. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { isBytes, type Value } from '../../python/values/value.ts';
import { answered, readFilled, readFlag, readText } from '../../runtime/loader/answered.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { withoutPassword } from './source-url.ts';

/** `cp.cache_file`: the place of a file in the cache; undefined when it cannot be had, and the log has said why. */
export const cachedFile = answered('cp.cache_file', readText);

/** `cp.is_cached`: the place of a file that was brought before. */
export const fileCachedBefore = answered('cp.is_cached', readText);

/** `cp.hash_file`: the hash of a file on the file server; undefined when it has no such file. */
export const servedHash = answered('cp.hash_file', readFilled);

/** `cp.get_template`: the place of a rendered template; undefined when it cannot be had. */
export const renderedTemplate = answered('cp.get_template', readText);

/** `config.valid_fileproto`: whether a source is an address, and no path. */
export const isFileAddress = answered('config.valid_fileproto', readFlag);

/** `cp.get_file_str`: the content, '' included; undefined when it cannot be had. */
const content = answered('cp.get_file_str', (answer: Value) =>
  typeof answer === 'string' || isBytes(answer) ? answer : undefined,
);

function notHad(source: string, saltenv: string): CommandExecutionError {
  return new CommandExecutionError(`Unable to retrieve ${withoutPassword(source)} from saltenv '${saltenv}'`);
}

/** The place of a file in the cache. @throws CommandExecutionError `Unable to retrieve X from saltenv 'Y'` */
export async function neededFile(ctx: ModuleContext, source: string, saltenv: string): Promise<string> {
  const path = await cachedFile(ctx, [source, saltenv]);
  if (path === undefined) throw notHad(source, saltenv);
  return path;
}

/** The content of a file: bytes when it is no text. @throws CommandExecutionError as {@link neededFile} */
export async function neededContent(
  ctx: ModuleContext,
  source: string,
  saltenv: string,
): Promise<string | Uint8Array> {
  const found = await content(ctx, [source], { saltenv });
  if (found === undefined) throw notHad(source, saltenv);
  return found;
}
