/** docs/reference/events.md: who may fire which event, from the table by which the master decides. */
import { TAG_RULES, type TagOwner } from '../../network/events/tag-rules.ts';

const HEAD = `# Who may fire which event

The master believes an event by its tag, and so do the programs and reactors on its bus. A minion fires the tags of its own, and any
tag that is not in this table, such as \`myco/deploy\`; others are dropped, with a line in the log. Where the data of its event have an
\`id\`, it is replaced by the id that the minion has authenticated with. Salt refuses the tags marked so, and those only in lists of
events; all others anybody may fire there.

A syndic fires the tags of the minions that it speaks for, and any under its own name, \`syndic/<id>/…\`, but for those that Salt refuses.

<!-- scripts/generate-docs.ts has written this file. -->

| tags | whose | refused by Salt | what is believed |
| --- | --- | --- | --- |
`;

const OWNERS: Readonly<Record<TagOwner, string>> = {
  master: "the master's",
  minion: "the named minion's",
};

/** The page. */
export function renderEventReference(): string {
  const rows = TAG_RULES.map(
    ({ tags, owner, isSalts, why }) =>
      `| ${code(tags)} | ${OWNERS[owner]} | ${isSalts === true ? 'yes' : 'no'} | ${why} |`,
  );
  return `${HEAD}${[...rows, "| `syndic/<id>/*` | the named syndic's | no | what a master below reports: whom it expects, who is away there |"].join('\n')}\n`;
}

function code(tags: string): string {
  return tags
    .split(', ')
    .map((tag) => `\`${tag}\``)
    .join(', ');
}
