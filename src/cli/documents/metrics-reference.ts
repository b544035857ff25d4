/** The reference of figures for Prometheus, made from their table. */
import { FAMILY_TABLE } from '../../runtime/metrics/families.ts';

/** Where the page lies. */
export const METRICS_PATH = 'docs/reference/metrics.md';

const HEAD = `# Figures for Prometheus

With \`metrics_address: 127.0.0.1:9175\` in its configuration a master or a minion shows its figures at \`http://127.0.0.1:9175/metrics\`, in
Prometheus' text format. Without the option nothing listens. A syndic has \`syndic_metrics_address\` for it in the configuration of its master. \`salt-api\` shows its own at \`/metrics\` with \`metrics: True\` below \`rest_cherrypy\`. The guide is [metrics.md](../guides/metrics.md).

- A master's figures are those of all its processes together. What a process had counted before it died stays in the sum.
- Labels that others choose, such as names of functions, are bounded: three hundred of each figure are counted apart, all others as
  \`other\`, and \`brine_metrics_label_overflow_total\` says how often that happened.
- A figure that has nothing to show yet is missing.

This page is made from \`src/runtime/metrics/families.ts\`.

| figure | kind | labels | what it is |
| --- | --- | --- | --- |
`;

/** The page. */
export function renderMetricsReference(): string {
  const rows = [...FAMILY_TABLE].map(
    ([name, { kind, labels, help }]) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `${HEAD}${rows.join('\n')}\n`;
}
