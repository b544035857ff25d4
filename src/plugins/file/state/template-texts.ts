/**
 * Texts that come out of templates, for append, prepend and blockreplace (3006.16 salt/states/file.py
 * `_get_template_texts`).
 */
import { readText } from '../../shared/file-text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { environment, FileOutcome } from './outcome.ts';
import type { ArgsOf, TEXT_SOURCE_PARAMS } from './params.ts';
import { renderedTemplate } from '../../shared/served-files.ts';

/** The arguments about sources. */
export type TextSources = ArgsOf<typeof TEXT_SOURCE_PARAMS>;

/** The end of a state whose source cannot be had; the result is named after the source. */
class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly ret: Dict;
  constructor(source: Value, sentence: string) {
    super(sentence);
    const outcome = new FileOutcome(source);
    outcome.fail(sentence);
    this.ret = outcome.ret.set('data', []);
  }
}

/**
 * The sources of a state.
 * @throws FileRefusal when both forms are used
 */
export function textSources(args: TextSources): Value[] {
  const { source, sources, source_hash, source_hashes } = args;
  if (source !== undefined && sources !== undefined)
    throw new FileRefusal('source and sources are mutually exclusive');
  if (source_hash !== undefined && source_hashes !== undefined)
    throw new FileRefusal('source_hash and source_hashes are mutually exclusive');
  if (source !== undefined) return [source];
  // one that is no list is meant as the only one; left aside, the file would get the wrong content without a word
  if (sources === undefined || sources === null) return [];
  return Array.isArray(sources) ? sources : [sources];
}

/**
 * Fetches and renders sources.
 * @throws SourceFailure
 */
export async function templateTexts(
  ctx: StateContext,
  sources: readonly Value[],
  { template, defaults, context }: TextSources,
): Promise<string[]> {
  const variables = new Map([...defaults, ...context]);
  const texts: string[] = [];
  for (const source of sources) {
    const options = dict({ template, saltenv: environment(ctx), context: variables });
    const path = await renderedTemplate(ctx, [source, ''], options);
    if (path === undefined) throw new SourceFailure(source, `Failed to load template file ${pyStr(source)}`);
    const text = readText(path);
    if (text === '')
      throw new SourceFailure(source, `Failed to read rendered template file ${path} (${pyStr(source)})`);
    texts.push(text);
  }
  return texts;
}

/** Runs a state; a refusal, or a source that cannot be had, is its end. */
export async function untilSourcesFail(
  name: string,
  run: (outcome: FileOutcome) => Promise<Dict>,
): Promise<Dict> {
  const outcome = new FileOutcome(name, { result: false });
  try {
    return await untilRefused(
      () => run(outcome),
      (comment) => outcome.fail(comment),
    );
  } catch (error) {
    if (error instanceof SourceFailure) return error.ret;
    throw error;
  }
}
