/** The reference of what `sls check` finds, from its table. */
import { RULES } from '../../runtime/sls-check/rules.ts';

/** Where the page lies. */
export const SLS_RULES_PATH = 'docs/reference/sls-rules.md';

/** The page. */
export function renderSlsRules(): string {
  const lines = [...RULES].map(([name, { severity, doc }]) => `- \`${name}\` (${severity}): ${doc}`);
  return `${[
    '# Rules of sls check',
    '',
    '<!-- scripts/generate-docs.ts has written this file. -->',
    '',
    'What `sls check` finds. The [guide](../guides/checking-sls.md) says how it goes about it. A rule keeps its name.',
    '',
    ...lines,
  ].join('\n')}\n`;
}
