import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutCredentials } from '../../../../src/python/values/masked.ts';

test('masked addresses - names and passwords are hidden in every scheme, and nothing else is', () => {
  for (const scheme of [
    'http',
    'https',
    'git+https',
    'ssh',
    'ftp',
    'mysql',
    'postgres',
    'redis',
    'amqp',
    's3',
    'mongodb+srv',
  ])
    assert.equal(
      withoutCredentials(`cannot reach ${scheme}://bob:s3cret@host:1/path?x=1, and ${scheme}://host/a`),
      `cannot reach ${scheme}://<redacted>@host:1/path?x=1, and ${scheme}://host/a`,
    );
  for (const [given, shown] of [
    ['https://u:p@ss@host/a', 'https://<redacted>@host/a'],
    ['https://u:p/ss@host/a', 'https://<redacted>@host/a'],
    ['redis://:pw@h/0', 'redis://<redacted>@h/0'],
    ['https://h/a@1.2?token=abc&n=2', 'https://h/a@1.2?token=<redacted>&n=2'],
    ['s3://b/k?X-Amz-Signature=ff', 's3://b/k?X-Amz-Signature=<redacted>'],
    ['https://h:8080/a@b', 'https://h:8080/a@b'],
    ['mail bob@example.org', 'mail bob@example.org'],
    ['"git+ssh://git@h/r.git" at http://h/x', '"git+ssh://<redacted>@h/r.git" at http://h/x'],
  ] as const)
    assert.equal(withoutCredentials(given), shown);
});
