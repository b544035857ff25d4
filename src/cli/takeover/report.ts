/** The report of a look at a site, for people and for programs. */
import { SUBJECTS, type Remark, type Verdict } from './remark.ts';

const COLORS: Readonly<Record<Verdict, string>> = {
  served: '\u001b[32m',
  differs: '\u001b[33m',
  missing: '\u001b[31m',
  gone: '\u001b[36m',
};
const PLAIN = '\u001b[0m';
const VERDICTS: readonly Verdict[] = ['missing', 'differs', 'gone', 'served'];

/** How many remarks there are of each verdict. */
export function countOf(remarks: readonly Remark[], verdict: Verdict): number {
  return remarks.filter((one) => one.verdict === verdict).length;
}

/** A section for each part of the site, what is missing first, and the sum. */
export function textReport(remarks: readonly Remark[], isColored: boolean): string {
  const shown = (verdict: Verdict): string => (isColored ? `${COLORS[verdict]}${verdict}${PLAIN}` : verdict);
  const lines = SUBJECTS.flatMap((subject) => {
    const own = remarks.filter((one) => one.subject === subject);
    if (own.length === 0) return [];
    const sorted = VERDICTS.flatMap((verdict) => own.filter((one) => one.verdict === verdict));
    return [
      `${subject[0]?.toUpperCase() ?? ''}${subject.slice(1)}:`,
      ...sorted.map(
        (one) => `  ${placeText(one)}${shown(one.verdict)}: ${one.message.replaceAll('\n', ' ')}`,
      ),
      '',
    ];
  });
  return `${[...lines, sentence(remarks)].join('\n')}\n`;
}

function placeText({ path, line }: Remark): string {
  if (path === undefined) return '';
  return line === undefined ? `${path}: ` : `${path}:${line}: `;
}

function sentence(remarks: readonly Remark[]): string {
  const [missing, differs, gone] = (['missing', 'differs', 'gone'] as const).map((one) =>
    countOf(remarks, one),
  );
  const later = gone === 0 ? '' : ` ${gone} of what is used a later Salt no longer has.`;
  if (missing === 0 && differs === 0) return `Everything that was looked at is served.${later}`;
  return `${missing} missing, ${differs} to be looked at; all else is served.${later} Nothing was changed.`;
}

/** The same for programs; the form is stable. */
export function jsonReport(remarks: readonly Remark[]): string {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, countOf(remarks, verdict)]));
  return `${JSON.stringify({ version: 1, ...counts, remarks }, null, 2)}\n`;
}
