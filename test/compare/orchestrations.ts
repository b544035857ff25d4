/**
 * Orchestrations on the built programs beside what a real Salt 3006.16 printed for them
 * (`test/fixtures/orchestration`): text of the output, JSON and exit codes. Needs no real Salt. `node
 * scripts/run-ts.mjs test/compare/orchestrations.ts [NAME…]`
 */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { unifiedDiff } from '../../src/python/text/unified-diff.ts';
import { Fleet } from '../support/fleet.ts';
import {
  firstOrchestrations,
  neutralOutput,
  ODD_ORCHESTRATIONS,
  oddOrchestrations,
  prepareOrchestrations,
  type RecordedOrchestration,
} from '../support/orchestration-cases.ts';

/** The lines of an output in an order of their own: minions return in any order. */
function linesOf(text: string): string {
  const lines = text.replaceAll('min-b, min-a', 'min-a, min-b').split('\n');
  return lines
    .map((line) => line.trim().replace(/,$/, ''))
    .sort()
    .join('\n');
}

/** What differs, line by line. */
function difference(recorded: string, printed: string): string {
  const lines = (text: string): string[] => text.split('\n').map((line) => `${line}\n`);
  return unifiedDiff(lines(recorded), lines(printed), { from: 'Salt', to: 'ours' }, 2).join('');
}

test('orchestrations - print what a real Salt prints', async (t) => {
  const wanted = new Set(process.argv.slice(2));
  const fleet = await Fleet.create(t);
  prepareOrchestrations(fleet);
  await fleet.startMaster();
  await Promise.all(['min-a', 'min-b', 'min-c'].map((id) => fleet.joinMinion(id)));
  const reasons = new Map(oddOrchestrations().cases.map(({ name, differs }) => [name, differs]));
  const odd = (JSON.parse(readFileSync(ODD_ORCHESTRATIONS, 'utf8')) as RecordedOrchestration[]).map(
    (one) => ({ ...one, differs: reasons.get(one.name) }),
  );
  const unexplained: string[] = [];
  const alike: string[] = [];
  const reasonless: string[] = [];
  const cases = [...firstOrchestrations().cases, ...odd];
  for (const { name, args, code, stdout, differs } of cases) {
    if (wanted.size > 0 && !wanted.has(name)) continue;
    // Salt waited for longer than was waited for it, and so would ours
    if (code === 'timeout' && differs === undefined) continue;
    const own = await fleet.run('salt-run', ['--no-color', ...args]);
    const printed = neutralOutput(own.stdout, fleet.folder);
    const recorded = neutralOutput(stdout, fleet.folder);
    const isSame = own.code === code && linesOf(printed) === linesOf(recorded);
    if (isSame) alike.push(name);
    if (isSame && differs !== undefined) reasonless.push(name);
    if (isSame || differs !== undefined) continue;
    unexplained.push(name);
    process.stdout.write(`${name} (${own.code}, not ${code}):\n${difference(recorded, printed)}\n`);
  }
  t.diagnostic(`${alike.length} of ${cases.length} alike`);
  if (reasonless.length > 0) t.diagnostic(`alike, though a difference is told of: ${reasonless.join('; ')}`);
  if (unexplained.length > 0)
    throw new Error(`${unexplained.length} without a reason: ${unexplained.join('; ')}`);
});
