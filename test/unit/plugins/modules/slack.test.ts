/**
 * The module `slack` and its state: what is sent, and what is made of the answer, as a real Salt 3006.16 did with the
 * same answers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseJson, toJson } from '../../../../src/formats/json/text.ts';
import { slackModule } from '../../../../src/plugins/slack/module.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeStateContext, runState, type FakeStateContext } from '../../../support/state-context.ts';

const CONFIGURED = { id: 'm', hash_type: 'sha256', slack: { api_key: 'KEY' }, 'slack.hook': 'T/B/X' };

/** A context in which Slack gives this answer, and what was sent to it. */
function contextOf(
  answer: Value,
  options: { readonly opts?: Dict; readonly test?: boolean } = {},
): { readonly ctx: FakeStateContext; readonly sent: Value[] } {
  const sent: Value[] = [];
  const own = (fun: string) => (args: readonly Value[], kwargs: Dict) => call(ctx, fun, args, kwargs);
  const ctx: FakeStateContext = fakeStateContext({
    opts: dict(CONFIGURED),
    ...options,
    functions: {
      'http.query': (args, kwargs) => {
        const part = (name: string): Value => kwargs.get(name) ?? null;
        sent.push([part('method'), args[0] ?? null, part('data'), part('header_dict')]);
        return answer;
      },
      'slack.post_message': own('post_message'),
      'slack.call_hook': own('call_hook'),
    },
  });
  return { ctx, sent };
}

async function call(
  ctx: FakeStateContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const spec = slackModule.functions[fun];
  assert.ok(spec, fun);
  const bound = bindCall(`slack.${fun}`, spec, { positional: args, keywords: kwargs });
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

test('slack - functions and the state send what Salt sends, and tell what it tells', async () => {
  const path = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules/slack.json');
  const shown = (value: Value): string => toJson(value, { sortKeys: true });
  for (const one of parseJson(readFileSync(path, 'utf8')) as Dict[]) {
    const [fun, kwargs] = [String(one.get('call')), one.get('with')];
    assert.ok(isDict(kwargs));
    const { ctx, sent } = contextOf(one.get('answer') ?? null);
    const gave =
      fun === 'state' ? await runState(ctx, 'slack.post_message', kwargs) : await call(ctx, fun, [], kwargs);
    const what = `${fun} ${shown(kwargs)}`;
    assert.equal(shown(sent), shown(one.get('sent') ?? null), what);
    assert.equal(shown(gave), shown(one.get('gave') ?? null), what);
  }
});

test('slack - without a key or a hook nothing is sent, nor in test mode', async () => {
  const opts = dict({ id: 'm', hash_type: 'sha256' });
  const bare = contextOf(null, { opts });
  await assert.rejects(
    call(bare.ctx, 'list_rooms', [], new Map()),
    /^SaltInvocationError: No Slack API key found\.$/,
  );
  await assert.rejects(call(bare.ctx, 'call_hook', ['m'], new Map()), /No Slack WebHook url found/);
  const comment = async (ctx: FakeStateContext, kwargs: Dict): Promise<Value | undefined> =>
    (await runState(ctx, 'slack.post_message', kwargs)).get('comment');
  assert.equal(
    await comment(bare.ctx, dict({ name: 'n', message: 'm' })),
    'Please specify api_key or webhook.',
  );
  const dry = contextOf(null, { test: true });
  assert.equal(
    await comment(dry.ctx, dict({ name: 'n', message: 'm', webhook: 'A/B' })),
    'The following message is to be sent to Slack: m',
  );
  assert.deepEqual([bare.sent, dry.sent], [[], []]);
  assert.deepEqual(
    await call(contextOf(dict({ error: 'refused' })).ctx, 'call_hook', ['m'], new Map()),
    dict({ res: false, message: 'refused' }),
  );
});
