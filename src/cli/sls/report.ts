/** How `sls check` tells what it has found: as text, as JSON, and as SARIF 2.1.0 for code scanners. */
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GONE_TITLES, type GonePart } from '../../runtime/sls-check/later-salt.ts';
import { RULES, type Finding, type Severity } from '../../runtime/sls-check/rules.ts';
import { brineVersion } from '../../version.ts';

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** How many of each weight there are. */
export type Counts = Readonly<Record<Severity, number>>;

/** Counts findings. */
export function countFindings(findings: readonly Finding[]): Counts {
  const of = (severity: Severity): number => findings.filter((one) => one.severity === severity).length;
  return { error: of('error'), warning: of('warning'), note: of('note') };
}

const COLORS: Readonly<Record<Severity, string>> = {
  error: '\u001b[31m',
  warning: '\u001b[33m',
  note: '\u001b[36m',
};
const PLAIN = '\u001b[0m';

/** One line for each finding, and the sum. @param files how many were looked at */
export function textReport(findings: readonly Finding[], files: number, isColored: boolean): string {
  const shown = (severity: Severity): string =>
    isColored ? `${COLORS[severity]}${severity}${PLAIN}` : severity;
  const lines = findings.map(
    ({ path, line, column, severity, message, rule }) =>
      `${path}:${line}:${column}: ${shown(severity)}: ${message.replaceAll('\n', ' ')} [${rule}]`,
  );
  const counts = countFindings(findings);
  const sum = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) =>
    amount(counts[severity], severity),
  );
  lines.push(...goneLines(findings));
  return `${[...lines, `${amount(files, 'file')} checked: ${sum.join(', ') || 'nothing found'}.`].join('\n')}\n`;
}

/** Parts that a later Salt no longer has, each with how often it is used. */
function goneParts(findings: readonly Finding[]): (GonePart & { readonly places: number })[] {
  const parts = new Map<string, GonePart & { readonly places: number }>();
  for (const { gone } of findings) {
    if (gone === undefined) continue;
    const key = `${gone.kind} ${gone.name}`;
    parts.set(key, { ...gone, places: (parts.get(key)?.places ?? 0) + 1 });
  }
  return [...parts.values()].sort((a, b) => b.places - a.places);
}

/** A table of them, for people. */
function goneLines(findings: readonly Finding[]): string[] {
  const parts = goneParts(findings);
  if (parts.length === 0) return [];
  const here = parts.filter(({ isInBrine }) => isInBrine).length;
  const width = Math.max(...parts.map(({ kind, name }) => `${GONE_TITLES[kind]} ${name}`.length));
  return [
    '',
    `Salt no longer has ${amount(parts.length, 'part')} that ${parts.length === 1 ? 'is' : 'are'} used here; Brine has ${here}:`,
    ...parts.map(
      ({ kind, name, isInBrine, places }) =>
        `  ${`${GONE_TITLES[kind]} ${name}`.padEnd(width)}  ${isInBrine ? 'in Brine' : 'in neither'}, ${amount(places, 'place')}`,
    ),
    '',
  ];
}

const amount = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The same for programs; the form is stable. */
export function jsonReport(findings: readonly Finding[], files: number): string {
  const gone = goneParts(findings);
  const { error: errors, warning: warnings, note: notes } = countFindings(findings);
  return `${JSON.stringify({ version: 1, files, errors, warnings, notes, findings, ...(gone.length === 0 ? {} : { gone }) }, null, 2)}\n`;
}

/** A log of SARIF. @param cwd paths are relative to it where they lie below */
export function sarifReport(findings: readonly Finding[], cwd: string): string {
  const rules = [...RULES].map(([id, { severity, doc }]) => ({
    id,
    shortDescription: { text: doc },
    defaultConfiguration: { level: severity },
  }));
  const results = findings.map(({ rule, severity, message, path, line, column }) => ({
    ruleId: rule,
    ruleIndex: rules.findIndex(({ id }) => id === rule),
    level: severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(path, cwd) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  const driver = { name: 'sls check', semanticVersion: brineVersion, rules };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'unicodeCodePoints', results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function uriOf(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below.startsWith('..')
    ? pathToFileURL(path).href
    : below.split('/').map(encodeURIComponent).join('/');
}
