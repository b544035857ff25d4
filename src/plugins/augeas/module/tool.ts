/**
 * Running `augtool`, which does here what the binding for Python does for Salt. Follows 3006.16
 * salt/modules/augeas_cfg.py.
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import { isDir } from '../../../python/paths.ts';
import type { Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll, type Ended } from '../../shared/program.ts';

/** Which lenses and files are looked at. */
export interface AugeasScope {
  /** Further folders with lenses, as {@link lensFolders} gives them. */
  readonly folders: readonly string[];
  /** Only this lens, on this file. */
  readonly only?: { readonly lens: string; readonly file: string } | undefined;
}

/** Why there are no functions for Augeas here. */
export function withoutAugtool(): string | undefined {
  return findProgram('augtool') === undefined
    ? 'Cannot load augeas_cfg module: augtool is not installed (the package augeas-tools, or augeas)'
    : undefined;
}

/** The folders of a `load_path` that are there; what is no text has none. */
export function lensFolders(ctx: ModuleContext, given: Value): readonly string[] {
  if (typeof given !== 'string') return [];
  return given.split(':').filter((path) => {
    const isUsed = path.startsWith('/') && isDir(path);
    if (!isUsed) ctx.log.info(`Invalid augeas_cfg load_path entry: ${path} removed`);
    return isUsed;
  });
}

/** What readline, by which augtool reads its commands, would take for a key that was pressed. */
const KEYS = /[\x00-\x08\x0b-\x1f\x7f]/;

function checked(text: string): string {
  if (!KEYS.test(text)) return text;
  throw new SaltInvocationError(
    'augeas: a path or a value cannot have control characters in it, but tabs and line ends',
  );
}

const escapedBreaks = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** A value as one word of a command. */
export function valueWord(value: string): string {
  return `"${escapedBreaks(checked(value).replace(/["\\]/g, '\\$&'))}"`;
}

/**
 * A path as one word of a command: within brackets it stands as it is, outside of them blanks and quotes are escaped.
 */
export function pathWord(path: string): string {
  let [out, depth] = ['', 0];
  for (const [piece] of checked(path).matchAll(/\\[\][|/=()!,]|[^]/g)) {
    if (piece === '[') depth++;
    else if (piece === ']') depth--;
    if (piece === '\\') out += '\\\\';
    else if (depth === 0 && /^[ "']$/.test(piece)) out += `\\${piece}`;
    else out += piece;
  }
  return escapedBreaks(out);
}

/**
 * Has augtool carry out commands. They come on its standard input, where nobody else sees them.
 * @param commands lines of words as {@link valueWord} and {@link pathWord} make them
 */
export function runAugtool(
  ctx: ModuleContext,
  scope: AugeasScope,
  commands: readonly string[],
): Promise<Ended> {
  const { folders, only } = scope;
  const loading =
    only === undefined
      ? []
      : ['transform ' + [valueWord(only.lens), 'incl', valueWord(only.file)].join(' '), 'load'];
  const words = [
    ...folders.flatMap((folder) => ['--include', folder]),
    ...(only === undefined ? [] : ['--noautoload']),
  ];
  return runAll(ctx, [programPath('augtool'), ...words], {
    stdin: [...loading, ...commands, ''].join('\n'),
    stdin_raw_newlines: true,
    env: { LC_ALL: 'C.UTF-8', INPUTRC: '/dev/null' },
    ignore_retcode: true,
    rstrip: false,
  });
}

/** What augtool complained of, without the words that it puts before everything. */
export function complaint({ stderr }: Ended): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^error: /, ''));
  return lines.filter((line) => line.trim() !== '' && line !== 'Failed to execute command').join('\n');
}
