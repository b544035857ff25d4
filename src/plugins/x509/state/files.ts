/** The file of a state of `x509`: `file.managed` beneath it, links, and content that is no text. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { replaceFile } from '../../../host/file-operations.ts';
import { isLink, joinPath, realPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { keepBackup } from '../../shared/backups.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Arguments that are for `file.managed`. */
const FILE_ARGUMENTS = new Set([
  ...['user', 'group', 'mode', 'attrs', 'makedirs', 'dir_mode', 'backup', 'create', 'follow_symlinks'],
  ...['check_cmd', 'tmp_dir', 'tmp_ext', 'selinux', 'encoding', 'encoding_errors', 'win_owner', 'win_perms'],
  ...['win_deny_perms', 'win_inheritance', 'win_perms_reset'],
]);

/** Takes the arguments for the file out of all. @returns those, and the others */
export function splitArguments(kwargs: Dict): [file: Dict, others: Dict] {
  const [file, others]: [Dict, Dict] = [dict({ show_changes: false }), dict()];
  for (const [name, value] of kwargs) (FILE_ARGUMENTS.has(pyStr(name)) ? file : others).set(name, value);
  return [file, others];
}

/** What became of the file. */
export interface FileResult {
  readonly whole: Dict;
  readonly result: Value;
  readonly hasChanges: boolean;
  readonly comment: string;
}

/** One file that a state keeps. */
export class ManagedFile {
  readonly #ctx: StateContext;
  readonly #name: string;
  readonly #arguments: Dict;
  /** The results of `file.managed` that are shown beneath the state's. */
  readonly shown: Value[] = [];

  constructor(ctx: StateContext, name: string, fileArguments: Dict) {
    this.#ctx = ctx;
    this.#name = name;
    this.#arguments = fileArguments;
  }

  /** `file.managed`, for which nothing is changed with `test`. */
  async managed(further: DictInit, test = this.#ctx.state.test): Promise<FileResult> {
    const keywords = new Map([...this.#arguments, ...dict({ ...further, test })]);
    const answer = await this.#ctx.functions.call('state.single', ['file.managed', this.#name], keywords);
    const [first] = isDict(answer) ? [...answer.values()] : [];
    const whole = isDict(first) ? first : dict({ result: false, changes: dict(), comment: pyStr(answer) });
    return {
      whole,
      result: whole.get('result') ?? null,
      hasChanges: truthy(whole.get('changes')),
      comment: pyStr(whole.get('comment') ?? ''),
    };
  }

  /** Has a result of the file shown beneath the state's. */
  show(result: FileResult): void {
    const { low } = this.#ctx.state;
    const part = dict({
      name: this.#name,
      state: 'file',
      __id__: low.get('__id__') ?? this.#name,
      fun: 'managed',
    });
    this.shown.push(new Map([...result.whole, ['low', part]]));
  }

  /** The file that is meant. @returns its path, and whether a link that is not to be followed stands in its place */
  target(): { path: string; isReplacedLink: boolean } {
    if (!isLink(this.#name)) return { path: this.#name, isReplacedLink: false };
    const follow = this.#arguments.get('follow_symlinks') ?? true;
    return truthy(follow)
      ? { path: realPath(this.#name), isReplacedLink: false }
      : { path: this.#name, isReplacedLink: true };
  }

  /** Writes content that is no text into the file, which is there with its mode and owner. */
  writeBytes(path: string, bytes: Uint8Array): void {
    const backup = this.#arguments.get('backup') ?? null;
    if (backup === 'minion' || backup === 'both')
      keepBackup(this.#ctx, path, joinPath(optionOf(this.#ctx.opts, 'cachedir'), 'file_backup'));
    replaceFile(this.#ctx.random, path, bytes);
  }
}
