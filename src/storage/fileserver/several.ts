/**
 * Several questions to the file server in one request, which only our minions ask and only our masters answer: a state
 * run asks for what its next states will need (docs/internals/wire-protocol.md#several-questions-about-files).
 */
import { isDict, isBytes, type Dict, type Value } from '../../python/values/value.ts';

/** The command. */
export const SEVERAL_FILES = '_brine_files';
/** What may be asked so. */
const ASKED_TOGETHER: ReadonlySet<Value> = new Set(['_serve_file', '_file_hash', '_file_hash_and_stat']);
/** Questions of one request; those beyond are not answered. */
export const QUESTIONS_MAX = 64;
/** Content in one answer: what comes after that is to be asked for by itself. */
const CONTENT_BYTES_MAX = 1024 * 1024;

/**
 * Answers `{questions: [load, …]}` with a list of `[answer]`, and of empty lists for what is not answered here.
 * @param commands those of the file server
 */
export async function answerSeveral(
  commands: ReadonlyMap<string, (load: Dict) => Value | Promise<Value>>,
  load: Dict,
): Promise<Value[]> {
  const questions = load.get('questions');
  const answers: Value[] = [];
  let bytes = 0;
  for (const question of Array.isArray(questions) ? questions.slice(0, QUESTIONS_MAX) : []) {
    const cmd = isDict(question) ? question.get('cmd') : undefined;
    const serve = typeof cmd === 'string' && ASKED_TOGETHER.has(cmd) ? commands.get(cmd) : undefined;
    if (serve === undefined || !isDict(question) || bytes >= CONTENT_BYTES_MAX) {
      answers.push([]);
      continue;
    }
    const answer = await serve(question);
    const data = isDict(answer) ? answer.get('data') : undefined;
    if (data !== undefined && isBytes(data)) bytes += data.length;
    answers.push([answer]);
  }
  return answers;
}
