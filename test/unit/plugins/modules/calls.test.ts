/** Calls recorded from a real Salt 3006.16 by `npm run compare:modules -- --record`, made again on ours. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { answerOf } from '../../../support/call-answers.ts';
import {
  callOf,
  callWords,
  comparable,
  setUpGroup,
  treeOf,
  valueFromJson,
  type CallAnswer,
  type CallGroup,
} from '../../../support/module-calls.ts';
import { startEchoServer } from '../../../support/echo-server.ts';
import { fakeContext } from '../../../support/module-context.ts';

interface RecordedGroup extends CallGroup {
  readonly answers: readonly ({ readonly value: unknown } | { readonly error: string })[];
  readonly tree: readonly string[];
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules/calls');
const IS_ROOT = process.getuid?.() === 0;

function recordedAnswer(answer: RecordedGroup['answers'][number]): CallAnswer {
  return 'error' in answer ? answer : { value: valueFromJson(answer.value) };
}

for (const file of readdirSync(FOLDER).sort()) {
  const groups = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as RecordedGroup[];
  const table = file.replace(/\.json$/, '');
  for (const group of groups.filter(({ minion }) => minion === undefined)) {
    const skip = group.root === true && !IS_ROOT ? 'only root may do this' : false;
    test(`modules - ${table}, ${group.group}: answers are those of Salt 3006.16`, { skip }, async (t) => {
      const root = mkdtempSync(join(tmpdir(), 'brine-calls-'));
      const umask = process.umask(0o022);
      t.after(() => {
        process.umask(umask);
        rmSync(root, { recursive: true, force: true });
      });
      const server = table === 'http' ? await startEchoServer() : undefined;
      t.after(() => server?.stop());
      const places = {
        dir: join(root, 'g'),
        cache: join(root, 'cache'),
        ...(server && { http: server.url }),
      };
      setUpGroup(group, places.dir);
      const ctx = fakeContext({
        opts: dict({
          id: 'compared',
          hash_type: 'sha256',
          cachedir: places.cache,
          file_client: 'local',
          file_roots: { base: [] },
          local: true,
          test: group.test ?? false,
        }),
        clock: systemClock,
        random: systemRandom,
      });
      for (const [i, given] of group.calls.entries()) {
        const call = callOf(given);
        const [fun = '', ...words] = callWords(given, places);
        const answer = await answerOf(fun, ctx, words);
        if (call.differs !== undefined) continue;
        const recorded = recordedAnswer(group.answers[i] as RecordedGroup['answers'][number]);
        assert.equal(comparable(answer, call, places), comparable(recorded, call, places), call.call);
      }
      if (group.noTree !== true) assert.deepEqual(treeOf(places.dir, places), group.tree);
    });
  }
}
