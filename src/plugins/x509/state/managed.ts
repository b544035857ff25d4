/**
 * What the states of `x509` have in common: looking at the file, saying what is to change, making it anew, and writing
 * it.
 */
import { BrineError } from '../../../errors/errors.ts';
import { isFile, pathExists } from '../../../python/paths.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { isMissingFile } from '../module/sources.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { ManagedFile } from './files.ts';

/** What was found of the thing, and how it is made. */
export interface Inspection {
  /** What is to change; empty where all is right. */
  readonly changes: Dict;
  /** It is made anew, where it was there before. */
  readonly isRecreation: boolean;
  /** Looks whether it can be made of what is given, and makes nothing. @throws BrineError when it cannot */
  readonly check?: () => void;
  /** Makes it. @returns PEM, or base64 of what is no text */
  readonly make: () => Promise<string>;
}

/** One kind of thing in a file. */
export interface Kind {
  /** `certificate`, `private key` … */
  readonly what: string;
  /** Whether its form is a text. */
  readonly isText: boolean;
  /** Looks at what is there. @param path undefined where there is no file */
  readonly inspect: (path: string | undefined) => Promise<Inspection>;
}

const withParts = (result: StateResult, file: ManagedFile): StateResult =>
  file.shown.length === 0 ? result : { ...result, sub_state_run: file.shown };

/**
 * In test mode: whether it could be made. A key or a certificate that is not there may come from an earlier state.
 * Salt compat: there, test mode promises what cannot be made.
 */
function checkParts({ check }: Inspection): void {
  try {
    check?.();
  } catch (error) {
    if (!isMissingFile(error)) throw error;
  }
}

/** Writes what was made, or has the file's mode and owner set where nothing was. */
async function written(
  file: ManagedFile,
  { isText, what }: Kind,
  { changes, make, isRecreation }: Inspection,
  path: string,
): Promise<string | undefined> {
  const isNew = changes.size > 0;
  const content = isNew ? await make() : '';
  const result = await file.managed(
    isText && isNew ? { contents: content, replace: true } : { contents: null, replace: false },
  );
  file.show(result);
  if (result.result === false)
    return `Could not ${isRecreation ? 'update' : 'create'} file, see file.managed output`;
  if (isNew && !isText) {
    if (!isFile(path)) return `Could not write the ${what}: there is no file ${path}`;
    file.writeBytes(path, Buffer.from(content, 'base64'));
  }
  return undefined;
}

async function brought(ctx: StateContext, name: string, kind: Kind, file: ManagedFile): Promise<StateResult> {
  const right = `The ${kind.what} is in the correct state`;
  const foretold = await file.managed({ contents: null, replace: false }, true);
  const asItIs = (result: boolean | null, comment: string, changes = dict()): StateResult =>
    withParts({ name, changes, result, comment }, file);
  if (foretold.result === false) {
    file.show(foretold);
    return asItIs(false, 'Problem while testing file.managed changes, see its output');
  }
  if (foretold.comment.includes('is not present and is not set for creation')) {
    file.show(foretold);
    return asItIs(true, right);
  }
  const { path, isReplacedLink } = file.target();
  const inspection = await kind.inspect(
    !isReplacedLink && pathExists(path) && isFile(path) ? path : undefined,
  );
  const { changes, isRecreation } = inspection;
  const verb = isRecreation ? 'recreate' : 'create';
  if (changes.size === 0 && foretold.result === true && !foretold.hasChanges) {
    file.show(foretold);
    return asItIs(true, right);
  }
  if (ctx.state.test) {
    if (changes.size > 0) checkParts(inspection);
    file.show(foretold);
    if (changes.size > 0) return asItIs(null, `The ${kind.what} would have been ${verb}d`, changes);
    return asItIs(true, right);
  }
  if (isReplacedLink && changes.size > 0) await ctx.functions.call('file.remove', [name]);
  const failure = await written(file, kind, inspection, path);
  if (failure !== undefined) return asItIs(false, failure);
  return changes.size > 0 ? asItIs(true, `The ${kind.what} has been ${verb}d`, changes) : asItIs(true, right);
}

/** Brings a file to what a kind says. */
export async function manage(
  ctx: StateContext,
  name: string,
  fileArguments: Dict,
  kind: Kind,
): Promise<StateResult> {
  const file = new ManagedFile(ctx, name, fileArguments);
  try {
    return await brought(ctx, name, kind, file);
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return withParts({ name, changes: dict(), result: false, comment: error.message }, file);
  }
}

/** A text that a function gave. */
export const textOfAnswer = (answer: Value): string => (typeof answer === 'string' ? answer : '');
