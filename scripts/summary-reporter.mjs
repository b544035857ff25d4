// Closes a test run with the failures, and one plain line that any reader understands: "N passed, N failed".
export default async function* summary(source) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const failures = [];
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    if (data.skip !== undefined) skipped++;
    else if (type === 'test:pass') passed++;
    else {
      failed++;
      const error = data.details?.error;
      failures.push(
        `\nFAILED ${data.name} (${data.file ?? ''}:${data.line ?? ''})\n${error?.cause?.stack ?? error?.cause ?? error?.stack ?? ''}\n`,
      );
    }
  }
  yield '\n';
  yield* failures;
  yield `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
