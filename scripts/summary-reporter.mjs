// Closes a test run with the failures, the slow tests, and one plain line that any reader understands: "N passed, N
// failed".
import { inspect } from 'node:util';

const SLOW_SECONDS = 3;
const MOST_NAMED = 10;
/** What Node says of a test whose name `--only` does not match. */
const NOT_PICKED = 'test name does not match pattern';

const secondsOf = (durationMs) => (durationMs / 1000).toFixed(1);

/** The slowest of the tests that took long, worst first; no line when none did. */
export function slowestLines(tests) {
  const slow = tests.filter(({ durationMs }) => durationMs > SLOW_SECONDS * 1000);
  if (slow.length === 0) return [];
  const named = slow.sort((a, b) => b.durationMs - a.durationMs).slice(0, MOST_NAMED);
  const more = slow.length > named.length ? `, the slowest ${named.length} of them` : '';
  return [
    `\n${slow.length} tests took more than ${SLOW_SECONDS} seconds${more}:\n`,
    ...named.map(({ name, durationMs }) => `  ${secondsOf(durationMs).padStart(6)} s  ${name}\n`),
  ];
}

/** An error may come from another process as an object of no class, with any cause. */
function reasonOf(error) {
  const { cause = error } = error ?? {};
  return typeof cause?.stack === 'string' ? cause.stack : inspect(cause);
}

export default async function* summary(source) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const failures = [];
  const tests = [];
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' || data.skip === NOT_PICKED) continue;
    tests.push({ name: data.name, durationMs: data.details?.duration_ms ?? 0 });
    if (data.skip !== undefined) skipped++;
    else if (type === 'test:pass') passed++;
    else {
      failed++;
      failures.push(
        `\nFAILED ${data.name} (${data.file ?? ''}:${data.line ?? ''})\n${reasonOf(data.details?.error)}\n`,
      );
    }
  }
  yield '\n';
  yield* failures;
  yield* slowestLines(tests);
  if (tests.length === 0) {
    yield 'No test has a name that was asked for.\n';
    process.exitCode = 1;
  }
  yield `${passed} passed, ${failed} failed, ${skipped} skipped in ${secondsOf(process.uptime() * 1000)} seconds\n`;
}
