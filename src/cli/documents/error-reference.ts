/** The reference of errors, made from the table of codes. */
import { ERROR_GROUPS, type ErrorNote } from '../../errors/codes.ts';

const HEAD = `# Errors

Each failure has a code that stays the same when its sentence is said better. Programs look at the code:

- with \`--out=json\` on the command line of \`salt\`, \`salt-run\`, \`salt-call\`, \`salt-key\` and \`salt-cp\`, each failure is told once more
  on standard error, as one line of JSON: \`{"error":{"code":"target-without-minions","message":"…"}}\`. What went wrong with one minion of a
  job has its id in \`minion\`;
- with \`--out=json\`, a command that fails before there is any document writes its failure as one on standard output, so that what reads
  it always finds JSON: \`{"error": {"code": "…", "message": "…"}}\`. \`code\` and \`message\` are always there, \`minion\` where it is one
  minion's, and nothing is ever taken out of this form. With \`--exit-codes=salt\` Salt's text stands there where Salt has one;
- with \`BRINE_ERRORS=json\` in its environment every program does so, the daemons too, whatever the outputter;
- outcomes of minions carry their code in \`code\`: in \`salt-run jobs.outcomes\` and in the events \`salt/job/JID/outcome/ID\`.

Exit codes have a page of their own: [exit-codes.md](exit-codes.md). This page is made from \`src/errors/codes.ts\`.
`;

/** The page. */
export function renderErrorReference(): string {
  const groups = Object.entries(ERROR_GROUPS).map(
    ([name, notes]: [string, Readonly<Record<string, ErrorNote>>]) => {
      const rows = Object.entries(notes).map(
        ([code, { when, remedy }]) => `| \`${code}\` | ${when} | ${remedy} |`,
      );
      return [
        `## ${name}`,
        '',
        '| code | what has happened | what to do |',
        '| --- | --- | --- |',
        ...rows,
        '',
      ].join('\n');
    },
  );
  return [HEAD, ...groups].join('\n');
}
