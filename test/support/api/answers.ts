/**
 * What a real salt-api of 3006.16 answered, as it was recorded, and what ours answers where that is meant to differ.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiAnswer } from './send.ts';

/** The file of the recorded answers. */
const ANSWERS = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/api/answers-3006.16.json');

/** The answers to one case. */
export interface RecordedAnswers {
  readonly salt: ApiAnswer;
  /** Left out where ours answers the same. */
  readonly brine?: ApiAnswer;
}

/** Answers share their headers, by their place in a list. */
interface WrittenAnswer {
  readonly status: number;
  readonly headers: number;
  readonly body: unknown;
}

interface WrittenFile {
  readonly headers: readonly ApiAnswer['headers'][];
  readonly answers: readonly ({ readonly name: string; readonly brine?: WrittenAnswer } & WrittenAnswer)[];
}

/** All recorded answers by the names of their cases. */
export function readAnswers(): Map<string, RecordedAnswers> {
  if (!existsSync(ANSWERS)) return new Map();
  const { headers, answers } = JSON.parse(readFileSync(ANSWERS, 'utf8')) as WrittenFile;
  const whole = ({ status, headers: at, body }: WrittenAnswer): ApiAnswer => ({
    status,
    headers: headers[at] ?? {},
    body,
  });
  return new Map(
    answers.map((one) => [
      one.name,
      { salt: whole(one), ...(one.brine === undefined ? {} : { brine: whole(one.brine) }) },
    ]),
  );
}

/** Writes them, a line for each. @param names in the order of the cases; others are left out */
export function writeAnswers(recorded: ReadonlyMap<string, RecordedAnswers>, names: readonly string[]): void {
  const headers = new Map<string, number>();
  const short = ({ status, headers: given, body }: ApiAnswer): WrittenAnswer => {
    const text = JSON.stringify(given);
    const at = headers.get(text) ?? headers.size;
    headers.set(text, at);
    return { status, headers: at, body };
  };
  const lines = names.flatMap((name) => {
    const one = recorded.get(name);
    if (one === undefined) return [];
    const brine = one.brine === undefined ? {} : { brine: short(one.brine) };
    return [JSON.stringify({ name, ...short(one.salt), ...brine })];
  });
  writeFileSync(
    ANSWERS,
    `{"headers": [\n${[...headers.keys()].join(',\n')}\n],\n"answers": [\n${lines.join(',\n')}\n]}\n`,
  );
}
