/** Faults in the forms of log lines and of their times: names and directives that stand for nothing. */
import { didYouMean } from '../errors/did-you-mean.ts';
import { LINE_PIECES, LINE_FIELDS } from './log-format.ts';
import { isTimeDirective } from './log-time.ts';

/** Fields that records of Python's `logging` have and lines of Brine do not. */
const PYTHONS_FIELDS: ReadonlySet<string> = new Set([
  ...['pathname', 'filename', 'module', 'funcName', 'relativeCreated', 'thread', 'taskName'],
  ...['args', 'exc_info', 'exc_text', 'msg', 'stack_info'],
]);
/** Without one of these a line says nothing. */
const MESSAGES: readonly string[] = ['message', 'colormsg'];

/** A form as it is used, and what is wrong with it. */
export interface CheckedForm {
  readonly form: string;
  readonly faults: readonly string[];
}

/**
 * Looks at a form of lines. One whose lines would not carry the message is replaced, so that what is logged is seen.
 * @param option the name of the option, for the sentences
 */
export function checkLineForm(option: string, form: string, usual: string): CheckedForm {
  const names: string[] = [];
  const faults: string[] = [];
  const rest = form.replace(LINE_PIECES, (_, name: string | undefined) => {
    if (name !== undefined) names.push(name);
    return '';
  });
  for (const name of new Set(names)) {
    if (LINE_FIELDS.has(name)) continue;
    faults.push(
      PYTHONS_FIELDS.has(name)
        ? `${option} asks for %(${name})s, which lines of Brine do not have; it stays empty.`
        : `${option} asks for %(${name})s, which there is not; it stays empty.${didYouMean(name, LINE_FIELDS, 1)}`,
    );
  }
  for (const [piece] of rest.matchAll(/%(?:\([^)]*\)?)?.?/g))
    faults.push(
      `${option} has '${piece}', which means nothing and stays as it is; a field is written %(name)s, a percent sign %%.`,
    );
  if (names.some((name) => MESSAGES.includes(name))) return { form, faults };
  faults.push(`${option} has no %(message)s, so lines would not say what happened: '${usual}' is used.`);
  return { form: usual, faults };
}

/** Looks at a form of times; directives that there are not stay as they are, as `strftime` leaves them. */
export function timeFormFaults(option: string, form: string): string[] {
  const wrong = [...form.matchAll(/%(.?)/gs)].filter(([, letter = '']) => !isTimeDirective(letter));
  return [...new Set(wrong.map(([directive]) => directive))].map(
    (directive) =>
      `${option} has ${directive}, which stands for nothing and stays as it is; a time is written as %Y-%m-%d %H:%M:%S.`,
  );
}
